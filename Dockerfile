# Images are pinned by exact versions; see docker-compose.yml about digests.
FROM golang:1.26.0-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /errand ./cmd/errand

FROM alpine:3.22.1
RUN apk add --no-cache ca-certificates tzdata && adduser -D -u 10001 errand && mkdir -p /data/files && chown errand /data/files
USER 10001
COPY --from=build /errand /usr/local/bin/errand
# The worker listens on no port: it is well while it runs. What it reaches is what
# `errand doctor` looks at.
HEALTHCHECK --interval=30s --timeout=5s CMD ["sh", "-c", "tr '\\0' ' ' < /proc/1/cmdline | grep -q errand"]
ENTRYPOINT ["errand"]
