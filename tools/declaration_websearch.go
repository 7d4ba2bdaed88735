package tools

import (
	"encoding/json"
	"fmt"
	"strings"
)

// WebSearch is what a web_search declaration asks for. It travels with every
// call of the tool as its options.
type WebSearch struct {
	// AllowedDomains are the only ones that results and pages may come from,
	// with all their subdomains; none means any. BlockedDomains are left out.
	AllowedDomains []string `json:"allowed_domains,omitempty"`
	BlockedDomains []string `json:"blocked_domains,omitempty"`
	// Location is where the person is, roughly.
	Location *Location `json:"user_location,omitempty"`
	// ContextSize is low, medium or high: how much of the results the model is
	// shown. Empty means medium.
	ContextSize string `json:"search_context_size,omitempty"`
	// IndexOnly keeps to what the search provider knows: no page is opened
	// (external_web_access: false).
	IndexOnly bool `json:"index_only,omitempty"`
}

// Location is a rough place of a person.
type Location struct {
	City string `json:"city,omitempty"`
	// Country is a two-letter ISO code.
	Country  string `json:"country,omitempty"`
	Region   string `json:"region,omitempty"`
	Timezone string `json:"timezone,omitempty"`
}

// Actions of a call of web_search, in the words of a web_search_call item.
const (
	ActionSearch     = "search"
	ActionOpenPage   = "open_page"
	ActionFindInPage = "find_in_page"
)

// SearchArguments are the arguments of a call of web_search.
type SearchArguments struct {
	// Action is one of the three; without it the other members decide.
	Action  string `json:"action,omitempty"`
	Query   string `json:"query,omitempty"`
	URL     string `json:"url,omitempty"`
	Pattern string `json:"pattern,omitempty"`
}

// ReadSearchArguments reads arguments and decides about the action where they
// name none.
func ReadSearchArguments(raw []byte) (SearchArguments, error) {
	var a SearchArguments
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, fmt.Errorf("web_search takes action, query, url and pattern, all of them text: %w", err)
	}
	switch {
	case a.Action != "":
	case a.Pattern != "":
		a.Action = ActionFindInPage
	case a.URL != "" && a.Query == "":
		a.Action = ActionOpenPage
	default:
		a.Action = ActionSearch
	}
	return a, nil
}

const (
	maxDomains      = 100
	maxDomain       = 253
	maxLocationText = 200
)

// parseWebSearch reads what a web_search declaration asks for.
func (d *Declaration) parseWebSearch(fields map[string]json.RawMessage, faults *Faults) {
	var s WebSearch
	Field(fields, d.Path, "search_context_size", &s.ContextSize, `"low", "medium" or "high"`, faults)
	switch s.ContextSize {
	case "", "low", "medium", "high":
	default:
		faults.Add(d.Path+".search_context_size", `must be "low", "medium" or "high"`)
	}
	live := true
	Field(fields, d.Path, "external_web_access", &live, "true or false", faults)
	s.IndexOnly = !live
	if filters := objectField(fields, d.Path, "filters", faults); filters != nil {
		s.AllowedDomains = domains(filters, d.Path+".filters", "allowed_domains", faults)
		s.BlockedDomains = domains(filters, d.Path+".filters", "blocked_domains", faults)
		if len(s.AllowedDomains) > 0 && len(s.BlockedDomains) > 0 {
			faults.Add(d.Path+".filters", "has allowed_domains and blocked_domains: give one of them")
		}
	}
	if place := objectField(fields, d.Path, "user_location", faults); place != nil {
		s.Location = parseLocation(place, d.Path+".user_location", faults)
	}
	options, err := json.Marshal(s)
	if err != nil { // texts and a bool
		return
	}
	if string(options) != "{}" {
		d.Options = options
	}
}

func objectField(fields map[string]json.RawMessage, path, name string, faults *Faults) map[string]json.RawMessage {
	raw, given := fields[name]
	if !given || string(raw) == "null" {
		return nil
	}
	object, ok := Object(raw)
	if !ok {
		faults.Add(path+"."+name, "must be an object")
	}
	return object
}

func domains(fields map[string]json.RawMessage, path, name string, faults *Faults) []string {
	var all []string
	Field(fields, path, name, &all, `an array of domains such as "example.com"`, faults)
	if len(all) > maxDomains {
		faults.Add(path+"."+name, fmt.Sprintf("has %d domains, at most %d are taken", len(all), maxDomains))
		return nil
	}
	for i, one := range all {
		all[i] = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(one)), ".")
		if all[i] == "" || len(all[i]) > maxDomain || strings.ContainsAny(all[i], "/:@?#* \t\"()") {
			faults.Add(fmt.Sprintf("%s.%s[%d]", path, name, i), `must be a domain alone, such as "example.com": its subdomains are meant too`)
		}
	}
	return all
}

func parseLocation(fields map[string]json.RawMessage, path string, faults *Faults) *Location {
	var at Location
	kind := "approximate"
	Field(fields, path, "type", &kind, `"approximate"`, faults)
	if kind != "approximate" {
		faults.Add(path+".type", `must be "approximate"`)
	}
	for _, f := range []struct {
		name   string
		target *string
	}{{"city", &at.City}, {"country", &at.Country}, {"region", &at.Region}, {"timezone", &at.Timezone}} {
		Field(fields, path, f.name, f.target, "a string", faults)
		*f.target = strings.Join(strings.Fields(Clean(*f.target)), " ")
		if len(*f.target) > maxLocationText {
			faults.Add(path+"."+f.name, fmt.Sprintf("has %d bytes, at most %d are taken", len(*f.target), maxLocationText))
		}
	}
	if n := len(at.Country); n != 0 && (n != 2 || !ValidName(at.Country)) {
		faults.Add(path+".country", `must be a two-letter country code such as "DE"`)
	}
	at.Country = strings.ToUpper(at.Country)
	if at == (Location{}) {
		return nil
	}
	return &at
}

// String is the place in words, for example "Oslo, NO (Europe/Oslo)".
func (l Location) String() string {
	var parts []string
	for _, one := range []string{l.City, l.Region, l.Country} {
		if one != "" {
			parts = append(parts, one)
		}
	}
	text := strings.Join(parts, ", ")
	switch {
	case l.Timezone == "":
	case text == "":
		text = l.Timezone
	default:
		text += " (" + l.Timezone + ")"
	}
	return text
}
