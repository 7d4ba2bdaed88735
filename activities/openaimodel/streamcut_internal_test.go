package openaimodel

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel/chat"
	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/responses"
)

// readStream is what a client makes of a stream.
func readStream(api protocol.API, source io.Reader) (model.Answer, error) {
	s := &stream{Assembler: api.NewAssembler()}
	if err := s.follow(source); err != nil {
		return model.Answer{}, err
	}
	c := Client{api: api}
	return c.read(reply{status: http.StatusOK, stream: s, body: s.last})
}

// samples are streams of the kinds that servers send, each with text, thought
// and calls.
var samples = map[string]struct {
	api    protocol.API
	stream string
}{
	"responses": {responses.API, strings.Join([]string{
		"event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"status\":\"in_progress\",\"model\":\"m\",\"output\":[]}}\n\n",
		": keep-alive\n\n",
		"data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"msg_1\",\"role\":\"assistant\",\"content\":[]}}\r\n\r\n",
		"data: {\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",\"output_index\":0,\"delta\":\"caf\\u00e9 \"}\n\n",
		"data: {\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",\"output_index\":0,\"delta\":\"ü\"}\n\n",
		"data: {\"type\":\"response.completed\",\ndata: \"response\":{\"status\":\"completed\",\"model\":\"m\",\"output\":[{\"type\":\"message\",\"id\":\"msg_1\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"café ü\"}]},{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"f\",\"arguments\":\"{}\"}],\"usage\":{\"input_tokens\":1,\"output_tokens\":2,\"total_tokens\":3}}}\n\n",
	}, "")},
	"responses, assembled": {responses.API, strings.Join([]string{
		"data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]}}\n\n",
		"data: {\"type\":\"response.reasoning_summary_text.delta\",\"item_id\":\"rs_1\",\"output_index\":0,\"summary_index\":0,\"delta\":\"hm\"}\n\n",
		"data: {\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"a\",\"name\":\"f\",\"arguments\":\"\"}}\n\n",
		"data: {\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"fc_1\",\"output_index\":1,\"delta\":\"{\\\"n\\\":\"}\n\n",
		"data: {\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"fc_1\",\"output_index\":1,\"delta\":\"1}\"}\n\n",
		"data: {\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"},\"output\":[]}}\n\n",
	}, "")},
	"chat": {chat.API, strings.Join([]string{
		": keep-alive\n\n",
		"data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\",\"reasoning_content\":\"hm\"}}]}\r\n\r\n",
		"data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"café ü\"}}]}\n\n",
		"data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"n\\\":\"}}]}}]}\n\n",
		"data: {\"model\":\"m\",\"choices\":[{\"index\":0,\ndata: \"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"1}\"}}]}}]}\n\n",
		"data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
		"data: {\"model\":\"m\",\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2,\"total_tokens\":3}}\n\n",
		"data: [DONE]\n\n",
	}, "")},
}

func TestStreamCutAnywhereIsWholeOrAnError(t *testing.T) {
	t.Parallel()
	broken := errors.New("reset by peer")
	for name, sample := range samples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole, err := readStream(sample.api, strings.NewReader(sample.stream))
			require.NoError(t, err)
			require.NotEmpty(t, whole.Items)
			answers := 0
			for i := range sample.stream {
				begin := sample.stream[:i]
				for _, source := range []io.Reader{
					strings.NewReader(begin), io.MultiReader(strings.NewReader(begin), iotest.ErrReader(broken)),
				} {
					got, err := readStream(sample.api, source)
					if err != nil {
						require.True(t, errors.Is(err, errIncomplete) || errors.Is(err, broken), "%s\n%s", err, begin)
						continue
					}
					answers++
					if got.Usage == nil {
						got.Usage = whole.Usage // it comes after the rest in chat
					}
					require.Equal(t, whole, got, begin)
				}
			}
			require.Positive(t, answers, "no cut left a whole answer, though the last bytes say nothing")
		})
	}
}

func TestStreamReadInAnyPiecesIsTheSame(t *testing.T) {
	t.Parallel()
	for name, sample := range samples {
		want, err := readStream(sample.api, strings.NewReader(sample.stream))
		require.NoError(t, err)
		for _, source := range []io.Reader{
			iotest.OneByteReader(strings.NewReader(sample.stream)), iotest.HalfReader(strings.NewReader(sample.stream)),
			iotest.DataErrReader(strings.NewReader(sample.stream)),
			strings.NewReader(strings.ReplaceAll(strings.ReplaceAll(sample.stream, "\r\n", "\n"), "\n", "\r\n")),
			strings.NewReader(strings.ReplaceAll(strings.ReplaceAll(sample.stream, "\r\n", "\n"), "\n", "\r")),
		} {
			got, err := readStream(sample.api, source)
			require.NoError(t, err)
			require.Equal(t, want, got, name)
		}
	}
}
