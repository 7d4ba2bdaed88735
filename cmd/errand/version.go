package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"errand/tools"
)

// build is what the command knows of how it was made. The version is that of
// the source; the revision is there if the source came out of git.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	SDK      string `json:"temporal_sdk,omitempty"`
}

func thisBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return newBuild(info)
}

func newBuild(info *debug.BuildInfo) build {
	b := build{Version: "v" + tools.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Revision = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	for _, module := range info.Deps {
		if module.Path == "go.temporal.io/sdk" {
			b.SDK = module.Version
		}
	}
	return b
}

// line is the build in one line, after the name of the command.
func (b build) line(name string) string {
	text := name + " " + b.Version
	if b.Revision != "" {
		text += " (" + b.Revision[:min(12, len(b.Revision))]
		if b.Modified {
			text += ", modified"
		}
		text += ")"
	}
	return text + ", " + b.Go + ", " + b.Platform + ", Temporal SDK " + b.SDK
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this command",
		Example: "  {errand} version -o json",
		Args:    wants(0, 0),
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if a.json() {
				return a.document(b)
			}
			return a.print("%s\n", b.line(a.name))
		},
	}
}
