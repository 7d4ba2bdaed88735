package openaimodel

import (
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

func withoutSecrets(text string, secrets []string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}
