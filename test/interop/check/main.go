// Verifies proof files and tiles of a log with Go libraries that share no code with Assay.
// Usage: check LOG-VKEY PROOF-FILE CHAIN-HASH TILES-URL
package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"

	"filippo.io/torchwood"
	formats "github.com/transparency-dev/formats/log"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type proofFile struct {
	index  int64
	hashes [][]byte
	note   []byte
}

func readProof(text string) (proofFile, error) {
	head, rest, found := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	if !found || lines[0] != "c2sp.org/tlog-proof@v1" {
		return proofFile{}, fmt.Errorf("no proof file")
	}
	lines = lines[1:]
	if strings.HasPrefix(lines[0], "extra ") {
		lines = lines[1:]
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[0], "index "), 10, 64)
	if err != nil {
		return proofFile{}, err
	}
	file := proofFile{index: index, note: []byte(rest)}
	for _, line := range lines[1:] {
		hash, err := base64.StdEncoding.DecodeString(line)
		if err != nil {
			return proofFile{}, err
		}
		file.hashes = append(file.hashes, hash)
	}
	return file, nil
}

// checkProof verifies signature and inclusion by x/mod/sumdb, and again by transparency-dev.
func checkProof(vkey string, file proofFile, leaf []byte) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open(file.note, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	checkpoint, err := torchwood.ParseCheckpoint(opened.Text)
	if err != nil {
		return tlog.Tree{}, err
	}
	var path tlog.RecordProof
	for _, hash := range file.hashes {
		path = append(path, tlog.Hash(hash))
	}
	err = tlog.CheckRecord(path, checkpoint.N, checkpoint.Hash, file.index, tlog.RecordHash(leaf))
	if err != nil {
		return tlog.Tree{}, err
	}
	other, _, _, err := formats.ParseCheckpoint(file.note, checkpoint.Origin, verifier)
	if err != nil {
		return tlog.Tree{}, err
	}
	hasher := rfc6962.DefaultHasher
	return checkpoint.Tree, proof.VerifyInclusion(
		hasher, uint64(file.index), other.Size, hasher.HashLeaf(leaf), file.hashes, other.Hash)
}

// checkTiles reads every entry by tiles, each checked against the tree.
func checkTiles(url string, tree tlog.Tree, index int64, leaf []byte) (int64, error) {
	fetcher, err := torchwood.NewTileFetcher(url)
	if err != nil {
		return 0, err
	}
	client, err := torchwood.NewClient(fetcher)
	if err != nil {
		return 0, err
	}
	var count int64
	for at, entry := range client.Entries(context.Background(), tree, 0) {
		if at == index && !bytes.Equal(entry, leaf) {
			return count, fmt.Errorf("entry %d is another one", at)
		}
		count++
	}
	return count, client.Err()
}

func run(args []string) error {
	text, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	leaf, err := hex.DecodeString(args[2])
	if err != nil {
		return err
	}
	file, err := readProof(string(text))
	if err != nil {
		return err
	}
	tree, err := checkProof(args[0], file, leaf)
	if err != nil {
		return err
	}
	count, err := checkTiles(args[3], tree, file.index, leaf)
	if err != nil {
		return err
	}
	fmt.Printf("proven, and %d entries of %d read\n", count, tree.N)
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Println("FAIL:", err)
		os.Exit(1)
	}
}
