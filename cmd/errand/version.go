package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set when a release is linked.
var version = ""

// build is what the command knows of how it was made.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	SDK      string `json:"temporal_sdk,omitempty"`
}

func thisBuild() build {
	b := build{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
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
			text := a.name + " " + b.Version
			if b.Revision != "" {
				text += " (" + b.Revision[:min(12, len(b.Revision))]
				if b.Modified {
					text += ", modified"
				}
				text += ")"
			}
			return a.print("%s, %s, %s, Temporal SDK %s\n", text, b.Go, b.Platform, b.SDK)
		},
	}
}
