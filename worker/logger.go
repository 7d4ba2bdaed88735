package worker

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"errand/tools"
)

// NewLogger builds the logger that the configuration describes.
func NewLogger(config Log) (*zap.Logger, error) {
	var faults tools.Faults
	reportText(&faults, "log.level", config.Level, checkLevel)
	reportText(&faults, "log.format", config.Format, checkFormat)
	if err := failed("the configuration", faults); err != nil {
		return nil, err
	}
	return config.build()
}

func (l Log) build() (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(l.Level)
	if err != nil {
		return nil, err
	}
	shape := zap.NewProductionEncoderConfig()
	shape.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	shape.EncodeDuration = zapcore.StringDurationEncoder
	// Nothing is sampled: what a worker repeats is what somebody looks for. An
	// activity that fails is no fault of the line that logs it; what panics
	// brings a stack of its own.
	return zap.Config{
		Level: zap.NewAtomicLevelAt(level), Encoding: l.Format, EncoderConfig: shape, DisableStacktrace: true,
		OutputPaths: []string{"stderr"}, ErrorOutputPaths: []string{"stderr"},
	}.Build(zap.AddStacktrace(zap.DPanicLevel))
}
