package checkup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"errand/storage"
	"errand/tools"
	"errand/tools/mcp"
	"errand/tools/skill"
	"errand/tools/web"
	"errand/worker/config"
)

func checkSearch(ctx context.Context, c config.Search) Finding {
	f := Finding{Check: "search", Subject: c.Provider}
	if c.Provider == "" {
		f.State, f.Message = StateOff, "no search provider: web_search is not offered to models"
		f.Fix = "set ERRAND_SEARCH_PROVIDER to searxng (with ERRAND_SEARCH_URL) or brave (with ERRAND_SEARCH_KEY)"
		return f
	}
	source, err := c.Source()
	if err != nil {
		f.State, f.Message = StateFault, "search: "+err.Error()
		return f
	}
	found, err := source.Check(ctx)
	switch {
	case err != nil:
		f.State, f.Message = StateFault, err.Error()
		f.Fix = "check ERRAND_SEARCH_URL, and that the server runs (search in the file)"
		if c.Provider == web.Brave {
			f.Fix = "check ERRAND_SEARCH_KEY (search in the file), and the plan of that key"
		}
	case found == 0:
		f.State, f.Message = StateWarning, "it answers, and found nothing for a common word"
		f.Fix = "look at the engines of the server"
	default:
		f.State, f.Message = StateOK, "it answers a query"
	}
	if f.State == StateOK && len(c.Hosts) == 0 {
		f.Message += "; pages cannot be opened (search.hosts is empty)"
	}
	return f
}

func checkFiles(c config.Files) Finding {
	f := Finding{Check: "files", Subject: c.Root, State: StateOK}
	info, err := os.Stat(c.Root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Message = "the folder is not there yet: the first write_file makes it"
	case err != nil:
		f.State, f.Message, f.Fix = StateFault, err.Error(), "set ERRAND_FILES_ROOT to a folder that the worker may use"
	case !info.IsDir():
		f.State, f.Message, f.Fix = StateFault, "it is not a folder", "set ERRAND_FILES_ROOT to a folder"
	default:
		f.Message = "the folder can be read and written"
		if err := writable(c.Root); err != nil {
			f.State, f.Message = StateWarning, "write_file will fail: "+err.Error()
			f.Fix = "let the worker's user write there, or set ERRAND_FILES_ROOT to another folder"
		}
	}
	return f
}

// writable makes a file in a folder, and removes it.
func writable(folder string) error {
	probe, err := os.CreateTemp(folder, ".errand-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(filepath.Clean(probe.Name())))
}

func checkSkills(c config.Skills) Finding {
	f := Finding{Check: "skills", Subject: c.Root}
	if c.Root == "" {
		f.State, f.Message = StateOff, "no folder of skills: there is no tool load_skill"
		f.Fix = "set ERRAND_SKILLS_ROOT to a folder of skills"
		return f
	}
	if _, err := skill.Load(c.Root); err != nil {
		f.State, f.Message = StateFault, strings.ReplaceAll(err.Error(), "\n", "; ")
		f.Fix = "correct the skills: a worker does not start with them"
		return f
	}
	f.State, f.Message = StateOK, "every skill can be read"
	return f
}

func checkFetch(c config.Fetch) Finding {
	f := Finding{Check: "fetch", State: StateOK, Message: fmt.Sprintf("fetch_url may read %s", strings.Join(c.Hosts, ", "))}
	if len(c.Hosts) == 0 {
		f.State, f.Message = StateOff, "no host is listed: fetch_url refuses everything"
		f.Fix = "set ERRAND_FETCH_HOSTS to the hosts that it may read"
	}
	return f
}

// listLimit bounds the look at one MCP server.
const listLimit = 30 * time.Second

// checkServer asks one configured server for its tools, over a connection of its
// own that is closed again.
func checkServer(ctx context.Context, m config.MCP, label string) Finding {
	f := Finding{Check: "mcp", Subject: label}
	servers := mcp.New(mcp.Options{Servers: m.Servers, Hosts: m.Hosts, Secrets: m.Secrets})
	defer servers.Close()
	limited, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	listing, err := servers.List(limited, tools.ServerDeclaration{Label: label}, "mcp.servers."+label)
	switch {
	case err != nil:
		f.State, f.Message = StateFault, fmt.Sprintf("it did not list its tools within %s", listLimit)
	case listing.Failure != "":
		f.State, f.Message = StateFault, listing.Failure
	case len(listing.Faults) > 0:
		f.State, f.Message = StateFault, listing.Faults.Error()
	case len(listing.Warnings) > 0:
		f.State, f.Message = StateWarning, fmt.Sprintf("it lists %d tools: %s", len(listing.Tools), listing.Warnings[0])
	default:
		f.State, f.Message = StateOK, fmt.Sprintf("it lists %d tools, MCP %s", len(listing.Tools), listing.Protocol)
	}
	if f.State == StateFault {
		f.Fix = "check its entry under mcpServers (ERRAND_MCP_CONFIG): command, url, credentials; run its command by hand"
	}
	return f
}

// checkStorage writes, reads and deletes a probe.
func checkStorage(ctx context.Context, c storage.Config) Finding {
	f := Finding{Check: "storage", Subject: c.Driver}
	if c.Driver == "" {
		f.State, f.Message = StateOff, "no external storage: outputs over 1 MiB are cut"
		f.Fix = "set ERRAND_STORAGE_DRIVER to directory (with ERRAND_STORAGE_DIRECTORY) or s3 (with ERRAND_STORAGE_S3_BUCKET)"
		return f
	}
	left, err := storage.Check(ctx, c)
	switch {
	case err != nil:
		f.State, f.Message = StateFault, err.Error()
		f.Fix = "check storage.directory, or storage.s3 and the AWS_* variables: runs with large payloads would stand still"
	case left != "":
		f.State, f.Message = StateWarning, fmt.Sprintf("a probe can be written and read, but not deleted: %s stays", left)
		f.Fix = "nothing: workers do not delete. Let objects expire"
	case c.Stores():
		f.State, f.Message = StateOK, fmt.Sprintf("a probe was written, read and deleted; outputs are kept up to %d MiB", c.OutputLimit()>>20)
	default:
		f.State, f.Message = StateOK, "what was stored before can be read; outputs over 1 MiB are cut, and only what Temporal would refuse is stored"
	}
	return f
}
