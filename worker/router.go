package worker

import (
	"context"
	"fmt"
	"path"
	"strings"

	"errand/activities"
	"errand/activities/openaimodel"
)

// codeNoEndpoint is the code of the error for a model that nobody serves.
const codeNoEndpoint = "no_endpoint"

// router is a model that asks the first endpoint which serves the one named.
type router []route

type route struct {
	match string
	model activities.Model
}

var _ activities.Model = router(nil)

// newRouter builds a client for each endpoint. It makes no request.
func newRouter(endpoints []Endpoint) (router, error) {
	routes := make(router, 0, len(endpoints))
	for _, e := range endpoints {
		model, err := e.client()
		if err != nil {
			return nil, err
		}
		routes = append(routes, route{e.Match, model})
	}
	return routes, nil
}

// Infer passes the request on. Without an endpoint no retry can help, until
// somebody changes the configuration.
func (r router) Infer(ctx context.Context, request activities.ModelRequest) (activities.ModelAnswer, error) {
	for _, one := range r {
		if serves(one.match, request.Model) {
			return one.model.Infer(ctx, request)
		}
	}
	return activities.ModelAnswer{}, &activities.ModelError{
		Code: codeNoEndpoint, Permanent: true,
		Message: fmt.Sprintf("no endpoint serves %q: add one whose match fits under models in the worker's configuration, or set OPENAI_BASE_URL",
			request.Model),
	}
}

// spanning hides slashes from path.Match. In a model's name they separate
// nothing that * should stop at.
var spanning = strings.NewReplacer("/", "\x00")

func serves(match, model string) bool {
	ok, err := path.Match(spanning.Replace(match), spanning.Replace(model))
	return ok && err == nil
}

// client makes the endpoint's client; nothing is sent yet.
func (e Endpoint) client() (*openaimodel.Client, error) {
	headers := make(map[string]string, len(e.Headers))
	for name, value := range e.Headers {
		headers[name] = string(value)
	}
	return openaimodel.New(openaimodel.Config{
		BaseURL: e.BaseURL, APIKey: string(e.APIKey), API: e.API, Headers: headers,
		Timeout: e.Timeout, Stream: e.Stream, IdleTimeout: e.IdleTimeout,
	})
}
