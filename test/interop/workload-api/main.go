// A Workload API of SPIFFE, with the service and the client of go-spiffe: it gives JWT-SVIDs, which that client verifies.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/spiffe/go-spiffe/v2/proto/spiffe/workload"
	"github.com/spiffe/go-spiffe/v2/spiffeid"
	"github.com/spiffe/go-spiffe/v2/svid/jwtsvid"
	"github.com/spiffe/go-spiffe/v2/workloadapi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const domain = "spiffe://octo.example"

// The identities of the one workload; its first comes first.
var identities = []string{domain + "/ns/payments/sa/refund-bot", domain + "/ns/payments/sa/report-bot"}

type service struct {
	workload.UnimplementedSpiffeWorkloadAPIServer
	signer jose.Signer
	keys   []byte
}

func (s *service) FetchJWTSVID(ctx context.Context, asked *workload.JWTSVIDRequest) (*workload.JWTSVIDResponse, error) {
	if err := requireHeader(ctx); err != nil {
		return nil, err
	}
	if len(asked.Audience) == 0 {
		return nil, status.Error(codes.InvalidArgument, "audience must be specified")
	}
	answer := &workload.JWTSVIDResponse{}
	for _, id := range identities {
		if asked.SpiffeId != "" && asked.SpiffeId != id {
			continue
		}
		token, err := s.sign(id, asked.Audience)
		if err != nil {
			return nil, err
		}
		answer.Svids = append(answer.Svids, &workload.JWTSVID{SpiffeId: id, Svid: token, Hint: "internal"})
	}
	if len(answer.Svids) == 0 {
		return nil, status.Error(codes.PermissionDenied, "no identity issued – ask your operator")
	}
	return answer, nil
}

func (s *service) FetchJWTBundles(_ *workload.JWTBundlesRequest, stream grpc.ServerStreamingServer[workload.JWTBundlesResponse]) error {
	if err := requireHeader(stream.Context()); err != nil {
		return err
	}
	if err := stream.Send(&workload.JWTBundlesResponse{Bundles: map[string][]byte{domain: s.keys}}); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

// Every call has this header, so that no page of a browser makes one.
func requireHeader(ctx context.Context) error {
	given, _ := metadata.FromIncomingContext(ctx)
	if values := given.Get("workload.spiffe.io"); len(values) == 1 && values[0] == "true" {
		return nil
	}
	return status.Error(codes.InvalidArgument, "security header missing from request")
}

func (s *service) sign(id string, audience []string) (string, error) {
	now := time.Now()
	return jwt.Signed(s.signer).Claims(jwt.Claims{
		Subject:  id,
		Audience: audience,
		IssuedAt: jwt.NewNumericDate(now),
		Expiry:   jwt.NewNumericDate(now.Add(5 * time.Minute)),
		ID:       rand.Text(),
	}).Serialize()
}

// The client of go-spiffe gets a JWT-SVID and verifies it: what listens here is what it takes for a Workload API.
func check(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	source, err := workloadapi.NewJWTSource(ctx, workloadapi.WithClientOptions(workloadapi.WithAddr(address)))
	if err != nil {
		return err
	}
	defer source.Close()
	svid, err := source.FetchJWTSVID(ctx, jwtsvid.Params{Audience: "check", Subject: spiffeid.RequireFromString(identities[1])})
	if err != nil {
		return err
	}
	_, err = jwtsvid.ParseAndValidate(svid.Marshal(), source, []string{"check"})
	return err
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// Listens at the path that it is given, and prints the keys as JSON once it does.
func main() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	options := (&jose.SignerOptions{}).WithType("JWT")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "first"}}, options)
	must(err)
	public := jose.JSONWebKey{Key: key.Public(), KeyID: "first", Use: "jwt-svid"}
	keys, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}})
	must(err)
	listener, err := net.Listen("unix", os.Args[1])
	must(err)
	server := grpc.NewServer()
	workload.RegisterSpiffeWorkloadAPIServer(server, &service{signer: signer, keys: keys})
	go func() { must(server.Serve(listener)) }()
	must(check("unix://" + os.Args[1]))
	fmt.Println(string(keys))
	select {}
}
