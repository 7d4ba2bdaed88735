package openaimodel

import (
	"regexp"
	"slices"
	"strings"
)

// minSecretBytes keeps short header values such as "1" or "beta" from being
// blotted out of every message. The API key is a secret at any length.
const minSecretBytes = 8

// secretsOf lists what must never reach a message: servers quote credentials
// in their errors, and errors are stored in the history of a run.
func secretsOf(config Config) []string {
	var all []string
	if config.APIKey != "" {
		all = append(all, config.APIKey)
	}
	for _, value := range config.Headers {
		if len(value) >= minSecretBytes {
			all = append(all, value)
			if _, token, ok := strings.Cut(value, " "); ok && len(token) >= minSecretBytes {
				all = append(all, token) // of "Bearer <token>"
			}
		}
	}
	// A secret that holds another one goes first, or its rest would stay.
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}

func redact(text string, secrets []string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}

// maxExcerptRunes is how much of a body that nobody understands is shown.
const maxExcerptRunes = 200

var (
	invisible = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)>`)
	markup    = regexp.MustCompile(`(?s)<[^>]*>`)
)

// excerpt is the beginning of the body as text: a proxy's page says what is
// wrong, but between tags.
func (r reply) excerpt() string {
	// Secrets go first: one that is cut in half is no longer found.
	text := strings.TrimSpace(redact(string(r.body[:min(len(r.body), 64<<10)]), r.secrets))
	if strings.HasPrefix(text, "<") {
		if plain := strings.TrimSpace(markup.ReplaceAllString(invisible.ReplaceAllString(text, " "), " ")); plain != "" {
			text = plain
		}
	}
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxExcerptRunes {
		text = string(runes[:maxExcerptRunes])
	}
	return text
}
