package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools/schema"
)

func TestTheSameBytesAreCompiledOnce(t *testing.T) {
	t.Parallel()
	cache := schema.NewCache(4)
	var group sync.WaitGroup
	all := make([]*schema.Schema, 16)
	for i := range all {
		group.Go(func() { all[i], _ = cache.Get(json.RawMessage(trip)) })
	}
	group.Wait()
	for _, one := range all {
		require.Same(t, all[0], one)
	}
}

func TestCompileErrorsAreRemembered(t *testing.T) {
	t.Parallel()
	cache := schema.NewCache(4)
	_, first := cache.Get(json.RawMessage(`{"type":7}`))
	_, second := cache.Get(json.RawMessage(`{"type":7}`))
	require.Error(t, first)
	require.Same(t, first, second)
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	cache := schema.NewCache(0)
	first, err := cache.Get(json.RawMessage(`{"title":"a"}`))
	require.NoError(t, err)
	_, err = cache.Get(json.RawMessage(`{"title":"b"}`))
	require.NoError(t, err)
	again, err := cache.Get(json.RawMessage(`{"title":"a"}`))
	require.NoError(t, err)
	require.NotSame(t, first, again)
}

// fourKilobytes is a schema of the size that a large tool has.
func fourKilobytes() json.RawMessage {
	var b strings.Builder
	for i := 0; b.Len() < 4000; i++ {
		fmt.Fprintf(&b, `"field_%d":{"type":["string","null"],"description":"what field %d is for","maxLength":%d},`, i, i, 100+i)
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.TrimSuffix(b.String(), ",") + `}}`)
}

func BenchmarkCompile(b *testing.B) {
	raw := fourKilobytes()
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			_, err := schema.Compile(raw)
			require.NoError(b, err)
		}
	})
	b.Run("warm", func(b *testing.B) {
		cache := schema.NewCache(8)
		for b.Loop() {
			_, err := cache.Get(raw)
			require.NoError(b, err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	s, err := schema.Compile(fourKilobytes())
	require.NoError(b, err)
	args := json.RawMessage(`{"field_1":"a","field_2":5,"field_3":null}`)
	for b.Loop() {
		coerced, _ := s.Coerce(args)
		require.Empty(b, s.Check(coerced))
	}
}
