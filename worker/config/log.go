package config

import (
	"maps"
	"slices"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"errand/storage"
	"errand/tools/web"
)

// String is the configuration as one line of JSON without its secrets.
func (c Config) String() string {
	encoder := zapcore.NewJSONEncoder(zapcore.EncoderConfig{
		SkipLineEnding: true, EncodeDuration: zapcore.StringDurationEncoder,
	})
	line, err := encoder.EncodeEntry(zapcore.Entry{}, []zap.Field{zap.Inline(c)})
	if err != nil { // fields of these kinds always encode
		return "worker.Config"
	}
	defer line.Free()
	return line.String()
}

// GoString keeps %#v as discreet as %v.
func (c Config) GoString() string { return c.String() }

// fields of a log. Those that say nothing are left out.
type fields []zap.Field

func (f *fields) add(field zap.Field, says bool) {
	if says {
		*f = append(*f, field)
	}
}

func (f *fields) text(key, value string) { f.add(zap.String(key, value), value != "") }

func (f *fields) texts(key string, values []string) { f.add(zap.Strings(key, values), len(values) > 0) }

func (f *fields) writeTo(out zapcore.ObjectEncoder) {
	for _, field := range *f {
		field.AddTo(out)
	}
}

// MarshalLogObject writes the configuration to a zap log without its secrets.
func (c Config) MarshalLogObject(out zapcore.ObjectEncoder) error {
	all := fields{zap.String("task_queue", c.Temporal.TaskQueue), zap.Objects("models", c.Models)}
	if d := c.Deployment; d.Name != "" {
		all = append(all, zap.String("deployment", d.Name), zap.String("build_id", d.BuildID), zap.String("versioning", d.Behavior))
	}
	prices := make([]string, len(c.Prices))
	for i, p := range c.Prices {
		prices[i] = p.Match
	}
	all.texts("prices", prices)
	all = append(all, zap.String("files_root", c.Files.Root))
	all.text("skills_root", c.Skills.Root)
	all.add(zap.Int("delegate_max_depth", c.Delegate.MaxDepth), c.Delegate.MaxDepth > 0)
	all = append(all, zap.Strings("fetch_hosts", c.Fetch.Hosts))
	all.texts("mcp_servers", c.MCP.Names())
	all.texts("mcp_hosts", c.MCP.Hosts)
	all.add(zap.Object("search", c.Search), c.Search.Provider != "")
	all = append(all, storageFields(c.Storage)...)
	all = append(all, zap.String("log_level", c.Log.Level), zap.String("log_format", c.Log.Format),
		zap.Int("memory_bytes", c.Limits.MemoryBytes), zap.Int("activities", c.Limits.Activities))
	all.writeTo(out)
	return nil
}

// MarshalLogObject writes the endpoint to a zap log without its secrets.
func (e Endpoint) MarshalLogObject(out zapcore.ObjectEncoder) error {
	all := fields{
		zap.String("match", e.Match), zap.String("base_url", e.PublicURL()),
		zap.String("api", e.API), zap.String("api_key", e.APIKey.String()),
	}
	all.texts("headers", slices.Sorted(maps.Keys(e.Headers)))
	all.add(zap.Duration("timeout", e.Timeout), e.Timeout > 0)
	all.add(zap.Bool("stream", true), e.Stream)
	all.add(zap.Duration("idle_timeout", e.IdleTimeout), e.IdleTimeout > 0)
	all.writeTo(out)
	return nil
}

// MarshalLogObject writes the section to a zap log without its key.
func (c Search) MarshalLogObject(out zapcore.ObjectEncoder) error {
	all := fields{zap.String("provider", c.Provider)}
	all.add(zap.String("base_url", withoutCredentials(c.BaseURL)), c.BaseURL != "")
	all.add(zap.String("api_key", c.APIKey.String()), c.Provider == web.Brave)
	all = append(all, zap.Duration("timeout", c.Timeout), zap.Strings("hosts", c.Hosts))
	all.writeTo(out)
	return nil
}

// storageFields say where large payloads go.
func storageFields(c storage.Config) fields {
	if c.Driver == "" {
		return nil
	}
	all := fields{zap.String("storage", c.Driver)}
	all.text("storage_directory", c.Directory)
	all.text("storage_bucket", c.S3.Bucket)
	all.add(zap.String("storage_endpoint", withoutCredentials(c.S3.Endpoint)), c.S3.Endpoint != "")
	all.add(zap.Int("storage_max_output", c.OutputLimit()), c.OutputLimit() > 0)
	return all
}
