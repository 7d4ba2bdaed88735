package openaimodel

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"errand/activities"
	"errand/tools/retryafter"
)

const (
	maxMessageBytes = 2000
	maxCodeBytes    = 200
	// maxRetryAfter bounds what a server may ask for: a run should not sleep for
	// a day because of one header.
	maxRetryAfter = time.Hour
)

// permanentCodes fail the same way however often they are tried, whatever the
// status beside them: accounts, prompts and pictures do not heal.
var permanentCodes = []string{
	"insufficient_quota", "context_length_exceeded", "invalid_prompt", "model_not_found",
	"data_residency_mismatch", "bio_policy", "misalignment_policy_violation",
	"invalid_image", "invalid_image_format", "invalid_base64_image", "invalid_image_url",
	"invalid_image_mode", "image_too_large", "image_too_small", "image_parse_error",
	"image_content_policy_violation", "image_file_too_large", "unsupported_image_media_type",
	"empty_image_file", "image_file_not_found",
}

// refusal is the error for a reply whose status is not a success.
func (r reply) refusal() *activities.ModelError {
	told := readComplaint(r.body)
	message := told.message
	switch {
	case r.status >= 300 && r.status < 400:
		message = "a redirect to " + r.redirectTarget() + " is not followed; set the base URL to where the model is served"
	case message == "":
		message = r.excerpt()
	}
	if message == "" {
		message = strings.TrimSpace(http.StatusText(r.status) + " (empty body)")
	}
	return r.fault(told.name(), told.permanent() || r.statusIsPermanent(), message)
}

// complaintWithin is the error for a reply that reports a failure under a
// status of success. A code that is a number is some upstream's status.
func (r reply) complaintWithin(told complaint) *activities.ModelError {
	upstream, err := strconv.Atoi(told.code)
	isStatus := err == nil && upstream >= 400 && upstream < 600
	message := told.message
	if message == "" {
		message = "the model failed and did not say why"
	}
	return r.fault(told.name(), told.permanent() || isStatus && refusesForGood(upstream), message)
}

// garbled is the error for a reply that cannot be read as an answer. The next
// attempt may be answered better.
func (r reply) garbled(what string) *activities.ModelError {
	shown := r.excerpt()
	if shown == "" {
		shown = "(empty body)"
	}
	return r.fault("", false, what+": "+shown)
}

// oversize is the error for a reply that was not read to its end. The next one
// would be as large.
func (r reply) oversize(limit tooLarge) *activities.ModelError {
	return r.fault("response_too_large", true, limit.Error())
}

// fault builds an error about this reply, fit to be stored: no secret, valid
// UTF-8, bounded.
func (r reply) fault(code string, permanent bool, message string) *activities.ModelError {
	wait, _ := retryafter.Wait(r.header, time.Now())
	return &activities.ModelError{
		Status:     r.status,
		Code:       clip(withoutSecrets(code, r.secrets), maxCodeBytes),
		Message:    clip(withoutSecrets(message, r.secrets), maxMessageBytes),
		Permanent:  permanent,
		RetryAfter: min(wait, maxRetryAfter),
	}
}

// statusIsPermanent lets the server's own word on retries go before what its
// status usually means.
func (r reply) statusIsPermanent() bool {
	switch strings.ToLower(strings.TrimSpace(r.header.Get("X-Should-Retry"))) {
	case "true":
		return false
	case "false":
		return true
	}
	return refusesForGood(r.status)
}

func refusesForGood(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return false
	}
	return status < http.StatusInternalServerError
}

// redirectTarget names where a redirect points, without its query, which may
// hold a token.
func (r reply) redirectTarget() string {
	target, err := url.Parse(r.header.Get("Location"))
	if err != nil || target.String() == "" {
		return "an unnamed place"
	}
	return (&url.URL{Scheme: target.Scheme, Host: target.Host, Path: target.Path}).String()
}

// permanent looks at the type too: some proxies keep only that.
func (c complaint) permanent() bool {
	return slices.Contains(permanentCodes, c.code) || slices.Contains(permanentCodes, c.kind)
}

// clip cuts text to at most limit bytes, between characters.
func clip(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	for !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// requestFault is the error for a request that cannot be written down. No
// server saw it and no retry mends it.
func requestFault(message string) *activities.ModelError {
	return &activities.ModelError{Code: "invalid_request", Message: clip(message, maxMessageBytes), Permanent: true}
}
