package cache

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	s := NewLRU[int](100)
	for i := range 50 {
		s.Put(fmt.Sprint(i), i, 30)
	}
	require.LessOrEqual(t, s.Bytes(), 100)
	_, ok := s.Get("49")
	require.True(t, ok)
	_, ok = s.Get("0")
	require.False(t, ok)
	s.Put("49", 1, 500)
	_, ok = s.Get("49")
	require.False(t, ok, "what is over the limit is not kept")
	require.LessOrEqual(t, s.Bytes(), 100)
}
