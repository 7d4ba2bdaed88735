package checkup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"errand/activities/openaimodel"
	"errand/worker/config"
)

// probeLimit bounds the look at one model server.
const probeLimit = 20 * time.Second

// checkEndpoint looks at one endpoint; earlier ones serve what matches them first.
func checkEndpoint(ctx context.Context, e config.Endpoint, earlier []config.Endpoint, model string) Finding {
	f := Finding{Check: "model", Subject: fmt.Sprintf("%s at %s", e.Match, e.PublicURL())}
	client, err := e.Client()
	if err != nil {
		f.State, f.Message = StateFault, err.Error()
		return f
	}
	limited, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	probe, err := client.Probe(limited)
	if err != nil {
		f.State, f.Message = StateFault, "no server answers: "+networkReason(err)
		f.Fix = "start it, or set OPENAI_BASE_URL (models[].base_url in the file) to where it is"
		return f
	}
	readProbe(&f, e, probe)
	if f.State != StateFault {
		asks := model
		for _, other := range earlier {
			if other.Serves(model) {
				asks = ""
			}
		}
		compareModels(&f, e, probe.Models, asks)
	}
	return f
}

// networkReason leaves of an error what a person needs.
func networkReason(err error) string {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "it is silent for " + probeLimit.String()
	}
	return err.Error()
}

// readProbe reads the answer to an empty request. A server that takes the key and
// speaks the API refuses it as a bad one.
func readProbe(f *Finding, e config.Endpoint, probe openaimodel.Probe) {
	path := "/responses"
	if e.API == openaimodel.Chat {
		path = "/chat/completions"
	}
	switch code := probe.Status; {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		f.State, f.Message = StateFault, fmt.Sprintf("the server does not accept the key (%d): %s", code, probe.Message)
		f.Fix = "set OPENAI_API_KEY, or models[].api_key in the file, to a key of this server"
		if e.APIKey == "" {
			f.Message = fmt.Sprintf("the server wants a key, and none is configured (%d)", code)
		}
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed || code == http.StatusNotImplemented:
		f.State, f.Message = StateFault, fmt.Sprintf("the server has no %s (%d): %s", path, code, probe.Message)
		f.Fix = "the base URL usually ends in /v1; a server without the Responses API needs ERRAND_MODEL_API=chat (models[].api in the file)"
		if e.API == openaimodel.Chat {
			f.Fix = "the base URL usually ends in /v1: correct OPENAI_BASE_URL, or models[].base_url in the file"
		}
	case code >= 300 && code < 400:
		f.State, f.Message = StateFault, probe.Message
		f.Fix = "set the base URL to where the server redirects"
	case code == http.StatusTooManyRequests || code == http.StatusPaymentRequired:
		f.State, f.Message = StateWarning, fmt.Sprintf("the server takes nothing for now (%d): %s", code, probe.Message)
		f.Fix = "look at the limits and the credit of the account"
	case code >= http.StatusInternalServerError:
		f.State, f.Message = StateWarning, fmt.Sprintf("the server answers, with an error (%d): %s", code, probe.Message)
		f.Fix = "some servers answer so to an empty request; if runs fail too, look at the server's log"
	default:
		f.State, f.Message = StateOK, "it answers and speaks "+path
		if e.APIKey != "" {
			f.Message = "it accepts the key and speaks " + path
		}
	}
}

// maxListed bounds the models that a finding names.
const maxListed = 8

// compareModels compares the server's list of models with what runs will ask for.
func compareModels(f *Finding, e config.Endpoint, models []string, asks string) {
	served := slices.DeleteFunc(slices.Clone(models), func(name string) bool { return !e.Serves(name) })
	switch {
	case models == nil:
		f.Message += "; it has no list of models"
	case len(served) == 0:
		f.State, f.Message = StateWarning, f.Message+fmt.Sprintf("; none of its %d models matches %q: %s", len(models), e.Match, firstOf(models))
		f.Fix = "correct models[].match in the file"
	case asks != "" && e.Serves(asks) && !slices.Contains(models, asks):
		f.State, f.Message = StateWarning, f.Message+fmt.Sprintf("; it does not list %q, but %s", asks, firstOf(served))
		f.Fix = "name one of these with --model or ERRAND_MODEL"
	default:
		f.Message += fmt.Sprintf("; it lists %s", firstOf(served))
	}
}

func firstOf(names []string) string {
	if len(names) > maxListed {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
	}
	return strings.Join(names, ", ")
}
