package worker

import (
	"fmt"
	"strings"

	"errand/activities/openaimodel"
)

// common reads the sections that the file and the environment share.
func (l *loader) common(top *section) {
	c := &l.config
	temporal := top.in("temporal")
	temporal.text("task_queue", &c.Temporal.TaskQueue, checkQueue)
	temporal.finish()

	deployment := top.in("deployment")
	deployment.text("name", &c.Deployment.Name, anyText)
	deployment.text("build_id", &c.Deployment.BuildID, anyText)
	deployment.text("behavior", &c.Deployment.Behavior, checkBehavior)
	deployment.finish()

	files := top.in("files")
	files.text("root", &c.Files.Root, checkRoot)
	files.finish()

	skills := top.in("skills")
	skills.text("root", &c.Skills.Root, checkSkills)
	skills.finish()

	delegate := top.in("delegate")
	delegate.count("max_depth", &c.Delegate.MaxDepth)
	delegate.finish()

	fetch := top.in("fetch")
	fetch.texts("hosts", &c.Fetch.Hosts, checkHost)
	fetch.finish()

	l.mcp(top.in("mcp"))
	l.storage(top.in("storage"))

	log := top.in("log")
	log.text("level", &c.Log.Level, checkLevel)
	log.text("format", &c.Log.Format, checkFormat)
	log.finish()

	limits := top.in("limits")
	limits.count("memory_bytes", &c.Limits.MemoryBytes)
	limits.count("activities", &c.Limits.Activities)
	limits.finish()
}

func (l *loader) endpoints(list []*section) []Endpoint {
	var all []Endpoint
	first := map[string]string{}
	for _, s := range list {
		e := l.endpoint(s)
		if place, taken := first[e.Match]; taken && e.Match != "" {
			l.faults.Add(s.path+".match", fmt.Sprintf("%q: repeats %s, which always wins: remove one", e.Match, place))
		} else {
			first[e.Match] = s.path + ".match"
		}
		all = append(all, e)
	}
	return all
}

func (l *loader) endpoint(s *section) Endpoint {
	before := len(l.faults)
	e := Endpoint{BaseURL: defaultBaseURL, API: openaimodel.Responses}
	s.text("match", &e.Match, checkMatch)
	if s.values["match"] == nil {
		l.faults.Add(s.at("match"), `required: a model's name or a pattern such as "gpt-*"`)
	}
	l.baseURL(s, &e)
	e.APIKey = l.apiKey(s)
	s.text("api", &e.API, checkAPI)
	e.Headers = l.headers(s)
	s.duration("timeout", &e.Timeout)
	s.flag("stream", &e.Stream)
	s.duration("idle_timeout", &e.IdleTimeout)
	s.finish()
	if len(l.faults) == before {
		e.faults(s.path, &l.faults)
	}
	return e
}

func (l *loader) prices(list []*section) []Price {
	var all []Price
	for _, s := range list {
		var p Price
		s.text("match", &p.Match, checkMatch)
		if s.values["match"] == nil {
			l.faults.Add(s.at("match"), `required: a model's name or a pattern such as "gpt-*"`)
		}
		s.amount("input", &p.Input)
		s.amount("cached_input", &p.CachedInput)
		s.amount("output", &p.Output)
		s.finish()
		all = append(all, p)
	}
	return all
}

// baseURL shows what the file says, not what its references stand for.
func (l *loader) baseURL(s *section, e *Endpoint) {
	written, given := s.plain("base_url")
	if !given {
		return
	}
	value, ok := resolve(s.at("base_url"), written, l.environment, &l.faults)
	if !ok {
		return
	}
	if complaint := checkURL(value); complaint != "" {
		l.faults.Add(s.at("base_url"), shownURL(written)+": "+complaint)
		return
	}
	e.BaseURL = value
}

func (l *loader) apiKey(s *section) Secret {
	written, given := s.plain("api_key")
	name, named := s.plain("api_key_env")
	if given && named {
		l.faults.Add(s.at("api_key_env"), "stands beside api_key: keep one of them")
		return ""
	}
	if named && !variable.MatchString(name) {
		// It may be the key itself, so it is not shown.
		l.faults.Add(s.at("api_key_env"), "must be the name of an environment variable, such as OPENAI_API_KEY")
		return ""
	}
	place := s.at("api_key")
	if named {
		place, written = s.at("api_key_env"), "${"+name+"}"
	}
	key, _ := resolve(place, written, l.environment, &l.faults)
	return Secret(strings.TrimSpace(key))
}

func (l *loader) headers(s *section) map[string]Secret {
	inner := s.in("headers")
	if len(inner.values) == 0 {
		return nil
	}
	all := make(map[string]Secret, len(inner.values))
	for _, name := range inner.keys() {
		if written, ok := inner.plain(name); ok {
			value, _ := resolve(inner.at(name), written, l.environment, &l.faults)
			all[name] = Secret(value)
		}
	}
	return all
}

// fallback is the endpoint that the environment names; it serves what no other
// does. Where a file names endpoints and the environment none, there is no
// fallback: no conversation goes to a server that nobody chose.
func (l *loader) fallback(s *section) (Endpoint, bool) {
	before := len(l.faults)
	e := Endpoint{Match: "*", BaseURL: defaultBaseURL, API: openaimodel.Responses}
	l.environmentURL(s, &e)
	key, _ := s.plain("api_key")
	e.APIKey = Secret(strings.TrimSpace(key))
	s.text("api", &e.API, checkAPI)
	s.flag("stream", &e.Stream)
	if len(l.faults) == before {
		e.faults("OPENAI_*", &l.faults)
	}
	named := s.values["base_url"] != nil || s.values["api_key"] != nil
	return e, named || len(l.config.Models) == 0
}

func (l *loader) environmentURL(s *section, e *Endpoint) {
	value, given := s.plain("base_url")
	if !given {
		return
	}
	if complaint := checkURL(value); complaint != "" {
		l.faults.Add(s.at("base_url"), shownURL(value)+": "+complaint)
		return
	}
	e.BaseURL = value
}
