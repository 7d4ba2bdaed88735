package config

// Loaded is the configuration without where it came from.
func (c Config) Loaded() Config {
	c.environ = nil
	return c
}
