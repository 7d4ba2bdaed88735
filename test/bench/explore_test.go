package bench

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
)

func med(d []float64) float64 { slices.Sort(d); return d[len(d)/2] }

func BenchmarkExplore(b *testing.B) {
	s := newStage(b)
	for _, j := range []job{{10, 1, 200, toolRead}, {10, 3, 200, toolRead}, {10, 1, 4096, toolRead}, {10, 3, 4096, toolRead}, {10, 1, 200, toolOnce}, {10, 3, 200, toolOnce}} {
		var rt [2][]float64
		var whole [2][]float64
		var ev, by [2][]float64
		for k := range 15 {
			for i, e := range []engine{s.errand, s.minimal} {
				id := fmt.Sprintf("x-%s-%d-%d-%s-%d", e.name, j.Calls, j.Size, j.Tool, k)
				t0 := time.Now()
				if err := e.start(b.Context(), id, j); err != nil { b.Fatal(err) }
				h, err := s.finish(b.Context(), id)
				if err != nil { b.Fatal(err) }
				_ = t0
				d, err := s.client.DescribeWorkflowExecution(b.Context(), id, "")
				if err != nil { b.Fatal(err) }
				info := d.WorkflowExecutionInfo
				size := 0
				for _, x := range h { size += proto.Size(x) }
				if k == 0 { fmt.Println(e.name, j, "size", info.HistorySizeBytes, "proto", size, len(h), info.HistoryLength)
					if j.Calls==1 && j.Size==200 && j.Tool==toolRead { for _, x := range h[:40] { fmt.Println(x.EventType, proto.Size(x), x.EventTime.AsTime().Sub(h[0].EventTime.AsTime())) } 
					fmt.Println(h[5+24]); fmt.Println(h[5+25]) } }
				ev[i] = append(ev[i], float64(len(h)))
				by[i] = append(by[i], float64(info.HistorySizeBytes))
				whole[i] = append(whole[i], info.CloseTime.AsTime().Sub(info.StartTime.AsTime()).Seconds()*1000)
				ts := s.script.times(id)
				for q := 1; q < len(ts); q++ { rt[i] = append(rt[i], ts[q].Sub(ts[q-1]).Seconds()*1000) }
			}
		}
		fmt.Printf("%v events %v %v bytes %v %v whole %.1f %.1f round %.2f %.2f ratio whole %.3f round %.3f\n", j, med(ev[0]), med(ev[1]), med(by[0]), med(by[1]), med(whole[0]), med(whole[1]), med(rt[0]), med(rt[1]), med(whole[0])/med(whole[1]), med(rt[0])/med(rt[1]))
	}
}
