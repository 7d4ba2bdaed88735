package worker

import (
	"context"
	"fmt"

	"errand/activities/model"
)

// codeNoEndpoint is the code of the error for a model that nobody serves.
const codeNoEndpoint = "no_endpoint"

// router is a model that asks the first endpoint which serves the one named.
type router []route

type route struct {
	endpoint Endpoint
	model    model.Model
}

var _ model.Model = router(nil)

// newRouter builds a client for each endpoint. It makes no request.
func newRouter(endpoints []Endpoint) (router, error) {
	routes := make(router, 0, len(endpoints))
	for _, e := range endpoints {
		client, err := e.Client()
		if err != nil {
			return nil, err
		}
		routes = append(routes, route{e, client})
	}
	return routes, nil
}

// Infer passes the request on. Without an endpoint no retry can help, until
// somebody changes the configuration.
func (r router) Infer(ctx context.Context, request model.Request) (model.Answer, error) {
	for _, one := range r {
		if one.endpoint.Serves(request.Model) {
			return one.model.Infer(ctx, request)
		}
	}
	return model.Answer{}, &model.Error{
		Code: codeNoEndpoint, Permanent: true,
		Message: fmt.Sprintf("no endpoint serves %q: add one whose match fits under models in the worker's configuration, or set OPENAI_BASE_URL",
			request.Model),
	}
}
