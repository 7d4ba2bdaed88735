// Package worker builds the process that takes runs: the workflow, its
// activities, the models and the tools of one's own. cmd/errand uses it, and so
// does any service that brings tools or hooks.
//
// Three steps make a worker:
//
//	config, err := worker.LoadConfig(os.Environ())
//	w, err := worker.New(config, worker.WithBuiltins(), worker.WithTools(mine))
//	err = w.Run(ctx)
//
// LoadConfig reads the environment and the file that ERRAND_CONFIG names; New
// finds every mistake before anything is dialled; Run connects, works until
// ctx ends, and drains. Signals are the caller's: see os/signal.NotifyContext.
//
// # Environment
//
//	OPENAI_BASE_URL     https://api.openai.com/v1   what stands before /responses
//	OPENAI_API_KEY                                  sent to that address only
//	ERRAND_MODEL_API    responses                   or chat
//	ERRAND_MODEL_STREAM false                       true: answers come as streams
//	ERRAND_TASK_QUEUE   errand                      where runs come from
//	ERRAND_FILES_ROOT   .errand/files               root of the built-in file tools
//	ERRAND_SKILLS_ROOT                              folder of Agent Skills for load_skill; none without
//	ERRAND_FETCH_HOSTS                              hosts that fetch_url may ask, by commas
//	ERRAND_DEPLOYMENT                               name of a Worker Deployment; none without
//	ERRAND_BUILD_ID                                 which build of it this worker is
//	ERRAND_VERSIONING   auto_upgrade                or pinned: runs stay with their build
//	ERRAND_STORAGE_DRIVER                           where large payloads go: directory or s3; none without
//	ERRAND_STORAGE_*                                the keys of storage below: see docs/configuration.md
//	ERRAND_LOG_LEVEL    info                        debug, info, warn, error
//	ERRAND_LOG_FORMAT   json                        or console
//	ERRAND_CONFIG                                   a YAML file with the keys below
//	TEMPORAL_*                                      as the temporal CLI reads them
//
// # File
//
//	temporal: {task_queue: errand}
//	models:                        # the first that matches serves
//	  - match: "gpt-*"
//	    api_key_env: OPENAI_API_KEY
//	  - match: "meta-llama/*"
//	    base_url: "http://${GPU_HOST}:8000/v1"
//	    api: chat
//	    headers: {X-Team: "${TEAM_TOKEN}"}
//	    timeout: 5m
//	    stream: true               # default false
//	    idle_timeout: 90s          # default 2m: the longest silence of a stream
//	prices:                        # per million tokens, for max_cost and run.cost
//	  - {match: "gpt-5*", input: 1.25, cached_input: 0.125, output: 10}
//	deployment: {name: errand, build_id: v12, behavior: auto_upgrade}
//	files: {root: .errand/files}
//	skills: {root: ./skills}       # default none
//	delegate: {max_depth: 3}       # default none: no tool delegate
//	fetch: {hosts: [docs.example.com]}
//	storage: {driver: directory, directory: /var/lib/errand/payloads}
//	log: {level: info, format: json}
//	limits: {memory_bytes: 67108864, activities: 200}
//
// A variable wins over the file. The endpoint that OPENAI_BASE_URL or
// OPENAI_API_KEY names serves the models that no entry of the file matches;
// without either, and with entries in the file, nothing does. The variables
// ERRAND_MODEL_API and ERRAND_MODEL_STREAM are about that endpoint alone.
//
// A streamed answer reaches the run as whole as any other. Stream where answers
// take minutes and a proxy in between gives up on silent connections; leave it
// where a server is known to do worse by calls that it sends in pieces.
package worker
