FROM golang:1.26-alpine AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /errand ./cmd/errand

FROM alpine:3.22
RUN apk add --no-cache ca-certificates tzdata && adduser -D -u 10001 errand && mkdir -p /data/files && chown errand /data/files
USER errand
COPY --from=build /errand /usr/local/bin/errand
ENTRYPOINT ["errand"]
