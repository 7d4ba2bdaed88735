package openaimodel

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"errand/activities/model"
	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/sse"
	"errand/tools/retryafter"
)

const (
	maxCodeBytes = 200
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

// statusError is the error for a reply whose status is not a success.
func (r reply) statusError() *model.Error {
	reported := protocol.ReadErrorBody(r.body)
	message := reported.Message
	switch {
	case r.status >= 300 && r.status < 400:
		message = "a redirect to " + r.redirectTarget() + " is not followed; set the base URL to where the model is served"
	case message == "":
		message = r.excerpt()
	}
	if message == "" {
		message = strings.TrimSpace(http.StatusText(r.status) + " (empty body)")
	}
	return r.modelError(reported.Name(), isPermanent(reported) || r.hasPermanentStatus(), message)
}

// classify is the error for a reply with a status of success that is no answer:
// its server reports an error in it, it was not read to its end, or it cannot be
// read, as err says.
func (r reply) classify(err error) *model.Error {
	var reported protocol.ServerError
	var limit sse.TooLargeError
	switch {
	case errors.As(err, &reported):
		return r.reportedError(reported)
	case errors.As(err, &limit):
		// The next one would be as large.
		return r.modelError("response_too_large", true, limit.Error())
	}
	// The next attempt may be answered better.
	return r.modelError("", false, err.Error()+": "+cmp.Or(r.excerpt(), "(empty body)"))
}

// reportedError is the error for what a server reports under a status of success.
// A code that is a number is some upstream's status.
func (r reply) reportedError(reported protocol.ServerError) *model.Error {
	upstream, err := strconv.Atoi(reported.Code)
	isStatus := err == nil && upstream >= 400 && upstream < 600
	permanent := isPermanent(reported) || isStatus && isPermanentStatus(upstream)
	failed := r.modelError(reported.Name(), permanent, cmp.Or(reported.Message, "the model failed and did not say why"))
	failed.Usage = reported.Usage
	return failed
}

// modelError builds an error about this reply, fit to be stored: no secret, valid
// UTF-8, bounded.
func (r reply) modelError(code string, permanent bool, message string) *model.Error {
	wait, _ := retryafter.Wait(r.header, time.Now())
	return &model.Error{
		Status:     r.status,
		Code:       protocol.Clip(redact(code, r.secrets), maxCodeBytes),
		Message:    protocol.Clip(redact(message, r.secrets), protocol.MaxMessageBytes),
		Permanent:  permanent,
		RetryAfter: min(wait, maxRetryAfter),
	}
}

// hasPermanentStatus lets the server's own word on retries go before what its
// status usually means.
func (r reply) hasPermanentStatus() bool {
	switch strings.ToLower(strings.TrimSpace(r.header.Get("X-Should-Retry"))) {
	case "true":
		return false
	case "false":
		return true
	}
	return isPermanentStatus(r.status)
}

func isPermanentStatus(status int) bool {
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

// isPermanent looks at the type too: some proxies keep only that.
func isPermanent(e protocol.ServerError) bool {
	return e.IsPermanent || slices.Contains(permanentCodes, e.Code) || slices.Contains(permanentCodes, e.Type)
}
