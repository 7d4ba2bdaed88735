package web

import (
	"context"

	"errand/tools"
)

// Check makes one search, and says how many pages it found.
func (s *Source) Check(ctx context.Context) (int, error) {
	found, err := s.provider.search(ctx, query{text: "weather", limit: 3, wanted: tools.WebSearch{}})
	return len(found.results), err
}
