module assay.example/workload-api

go 1.26.0

require (
	github.com/go-jose/go-jose/v4 v4.1.9
	github.com/spiffe/go-spiffe/v2 v2.9.0
	google.golang.org/grpc v1.85.0
)

require (
	github.com/Microsoft/go-winio v0.6.2 // indirect
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260817212433-ac3dfec99bb1 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
