package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"errand/tools"
	"errand/tools/skill"
	"errand/tools/web"
)

func (c Search) checkup(ctx context.Context) Finding {
	f := Finding{Check: "search", Subject: c.Provider}
	if c.Provider == "" {
		f.State, f.Message = StateOff, "no search provider: web_search is not offered to models"
		f.Fix = "set ERRAND_SEARCH_PROVIDER to searxng (with ERRAND_SEARCH_URL) or brave (with ERRAND_SEARCH_KEY)"
		return f
	}
	var faults tools.Faults
	source := c.source(&faults)
	if source == nil {
		f.State, f.Message = StateFault, faults.Error()
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

func (c Files) checkup() Finding {
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

func (c Skills) checkup() Finding {
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

func (c Fetch) checkup() Finding {
	f := Finding{Check: "fetch", State: StateOK, Message: fmt.Sprintf("fetch_url may read %s", strings.Join(c.Hosts, ", "))}
	if len(c.Hosts) == 0 {
		f.State, f.Message = StateOff, "no host is listed: fetch_url refuses everything"
		f.Fix = "set ERRAND_FETCH_HOSTS to the hosts that it may read"
	}
	return f
}
