package openaimodel_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/tools/item"
)

const (
	created = `{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","status":"in_progress","model":"m","output":[],"error":null}}`
	// bare ends a response without saying what was in it.
	bare = `{"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[]}}`
)

// finished is the last event of a response.
func finished(label, fields string) string {
	return `{"type":"response.` + label + `","sequence_number":9,"response":{"id":"resp_1","model":"m",` + fields + `}}`
}

func TestLastEventOfAResponseIsTheAnswer(t *testing.T) {
	t.Parallel()
	const output = `[{"type":"reasoning","id":"rs_1","summary":[], "vendor":9007199254740993},` +
		`{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"<a>","annotations":[]}]},` +
		`{"type":"function_call","id":"fc_1","call_id":"ls:0","name":"f","arguments":{"n": 1}},` +
		`{"type":"function_call","id":"fc_2","call_id":"b","name":"f","arguments":""},{"type":"web_search_call","id":"ws_1"}]`
	const fields = `"status":"completed","error":null,"incomplete_details":null,"output":` + output +
		`,"usage":{"input_tokens":5,"output_tokens":3,"total_tokens":8}`
	got, err := streamed(t, "", frames(created,
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","role":"assistant","content":"not this"}}`,
		finished("completed", fields)))
	require.NoError(t, err)
	whole, err := decoded(t, "", `{"model":"m",`+fields+`}`)
	require.NoError(t, err)
	require.Equal(t, whole, got)
	require.Equal(t, []string{
		`{"type":"reasoning","id":"rs_1","summary":[], "vendor":9007199254740993}`,
		`{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"<a>","annotations":[]}]}`,
		`{"type":"function_call","id":"fc_1","call_id":"ls:0","name":"f","arguments":"{\"n\":1}"}`,
		`{"type":"function_call","id":"fc_2","call_id":"b","name":"f","arguments":""}`,
	}, texts(got.Items))
	require.Equal(t, &item.Usage{InputTokens: 5, OutputTokens: 3, TotalTokens: 8}, got.Usage)
}

func TestStopOfAStreamedResponse(t *testing.T) {
	t.Parallel()
	const half = `"output":[{"type":"function_call","call_id":"a","name":"f","arguments":"{\"path\":\"a"}]`
	for event, want := range map[string]model.FinishReason{
		finished("completed", `"status":"completed",`+half):   model.FinishCompleted,
		finished("completed", half):                           model.FinishCompleted,
		finished("completed", `"status":"in_progress",`+half): model.FinishCompleted,
		finished("incomplete", `"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},`+half): model.FinishLength,
		finished("incomplete", `"status":"incomplete","incomplete_details":{"reason":"content_filter"},`+half):    model.FinishFilter,
		finished("incomplete", half):                                                                                model.FinishLength,
		finished("incomplete", `"status":"completed",`+half):                                                        model.FinishLength,
		finished("completed", `"status":"incomplete","incomplete_details":null,`+half):                              model.FinishLength,
		finished("completed", `"status":"incomplete","incomplete_details":{"reason":"content_filter"},`+half):       model.FinishFilter,
		finished("completed", `"status":"completed","incomplete_details":{"reason":"max_output_tokens"},`+half):     model.FinishLength,
		finished("completed", `"status":"completed","usage":{"input_tokens":1,"output_tokens":4096},`+half):         model.FinishCompleted,
		strings.Replace(finished("completed", `"status":"completed",`+half), `"type":"response.completed",`, ``, 1): model.FinishCompleted,
	} {
		// A type that is missing is in the name of the event.
		got, err := streamed(t, "", frames(created)+"event: response.completed\n"+frames(event))
		require.NoError(t, err, event)
		require.Equal(t, want, got.Finish, event)
		require.Equal(t, []string{`{"type":"function_call","call_id":"a","name":"f","arguments":"{\"path\":\"a"}`}, texts(got.Items))
	}
}

func TestOtherEventsOfAResponseAreIgnored(t *testing.T) {
	t.Parallel()
	last := finished("completed", `"status":"completed","output":[]`)
	for _, body := range []string{
		frames(last),
		frames(created, last) + done,
		frames(last, `{"type":"error","message":"too late"}`),
		frames(last, finished("failed", `"status":"failed"`)),
		frames(created, `{"type":"response.unheard_of","error":{"message":"not ours"}}`, `{"type":"keepalive","error":null}`, `{"error":null}`, `{}`, `null`, `[]`, `7`, last),
		frames(created, `{"type":"response.output_text.unheard_of","delta":"x"}`, `{"type":"response.unheard_of.delta","delta":"x"}`, `{"type":"response.output_item.done"}`, `{"type":"response.content_part.done","part":7}`, last),
		"event: response.failed\n" + frames(last),
		": waiting\r\n\r\ndata: " + last + "\r\n",
		strings.ReplaceAll("data: "+last+"\n\n", `,"sequence`, ",\ndata: \"sequence"),
	} {
		got, err := streamed(t, "", body)
		require.NoError(t, err, body)
		require.Equal(t, model.Answer{Items: items(), Finish: model.FinishCompleted, Model: "m"}, got, body)
	}
}

func TestResponseStreamWithoutALastEventIsUnfinished(t *testing.T) {
	t.Parallel()
	item := `{"type":"response.output_item.done","output_index":0,"item":{"type":"message","role":"assistant","content":"hi"}}`
	for _, body := range []string{
		"", ": waiting\n\n", frames(created), frames(created, item), frames(created, item) + done,
		frames(created, item) + "data: " + bare[:len(bare)-1], frames(item) + done + frames(bare),
	} {
		unfinished(t, "", body)
	}
}

func TestResponseStreamThatIsNoAnswerFails(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]model.Error{
		frames(created, finished("failed", `"status":"failed","error":{"code":"server_error","message":"boom"}`)): {Code: "server_error", Message: "boom"},
		frames(created, finished("failed", `"status":"failed","error":{"code":"invalid_prompt","message":"no"}`)): {Code: "invalid_prompt", Message: "no", Permanent: true},
		frames(finished("failed", `"output":[]`)):                                                                       {Message: "the model failed and did not say why"},
		frames(finished("failed", `"status":"completed","output":[]`)):                                                  {Message: "the model failed and did not say why"},
		frames(finished("completed", `"status":"failed","error":{"message":"boom"},"output":[]`)):                       {Message: "boom"},
		frames(`{"type":"response.failed","error":{"message":"boom"}}`):                                                 {Message: "boom"},
		frames(finished("cancelled", `"output":[]`)):                                                                    {Code: "cancelled", Message: "the server cancelled the response"},
		frames(created, `{"type":"error","code":"rate_limit_exceeded","message":"slow down","param":null}`):             {Code: "rate_limit_exceeded", Message: "slow down"},
		frames(created, `{"type":"error","code":null,"message":"boom"}`, bare):                                          {Message: "boom"},
		frames(created, `{"type":"error","error":{"type":"invalid_request_error","code":null,"message":"boom"}}`, bare): {Code: "invalid_request_error", Message: "boom"},
		frames(created, `{"type":"error","error":{"code":"context_length_exceeded","message":"too long"}}`):             {Code: "context_length_exceeded", Message: "too long", Permanent: true},
		frames(`{"error":{"code":400,"message":"upstream"}}`):                                                           {Code: "400", Message: "upstream", Permanent: true},
		frames(`{"type":"error"}`):                      {Message: "the model failed and did not say why"},
		"event: error\n" + frames(`{"message":"boom"}`): {Message: "boom"},
		frames(`{"type":"response.completed"}`):         {Message: `the answer has neither output nor error: {"type":"response.completed"}`},
		frames(created, `{"type":"response.`, bare):     {Message: `the stream has an event that is not JSON: {"type":"response.`},
	} {
		want.Status = 200
		require.Equal(t, want, failed(t, "", body), body)
	}
}

func TestNamelessCallOfAResponseStreamIsKept(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		frames(finished("completed", `"output":[{"type":"function_call","call_id":"a","arguments":"{}"}]`)):              `{"type":"function_call","call_id":"a","arguments":"{}"}`,
		frames(`{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":0,"delta":"{}"}`, bare): `{"type":"function_call","name":"","arguments":"{}","status":"completed"}`,
	} {
		got, err := streamed(t, "", body)
		require.NoError(t, err)
		require.Equal(t, []string{want}, texts(got.Items))
	}
}

func TestNamelessCallOfACutResponseIsKept(t *testing.T) {
	t.Parallel()
	got, err := streamed(t, "", frames(
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"a","name":"","arguments":""}}`,
		finished("incomplete", `"status":"incomplete","output":null`)))
	require.NoError(t, err)
	require.Equal(t, model.FinishLength, got.Finish)
	require.Equal(t, []string{`{"type":"function_call","id":"fc_1","call_id":"a","name":"","arguments":"{}","status":"incomplete"}`}, texts(got.Items))
}
