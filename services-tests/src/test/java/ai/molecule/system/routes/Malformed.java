package ai.molecule.system.routes;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Bytes that are no request, and headers that no client sends. */
final class Malformed {

    /** @param text in ISO 8859-1, one character for each byte */
    record Bytes(int status, String text) {

        byte[] bytes() {
            return text.getBytes(StandardCharsets.ISO_8859_1);
        }

        @Override
        public String toString() {
            return "%.120s".formatted(text);
        }
    }

    private static final String LINE = "POST /registry/check-access HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    private static final String GET = "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n";

    static final List<Bytes> REQUESTS = List.of(
            new Bytes(400, "nonsense\r\n\r\n"),
            new Bytes(400, "GET\r\n\r\n"),
            new Bytes(400, "G@T /health HTTP/1.1\r\n\r\n"),
            new Bytes(400, GET + "Bad Name: x\r\n\r\n"),
            new Bytes(400, GET + "X-Nul: a\0b\r\n\r\n"),
            new Bytes(400, LINE + "Content-Length: abc\r\n\r\n{}"),
            new Bytes(400, LINE + "Content-Length: -1\r\n\r\n{}"),
            new Bytes(400, LINE + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
            new Bytes(400, LINE + "Content-Length: 99999999999999999999\r\n\r\n{}"),
            new Bytes(400, LINE + "Transfer-Encoding: gzip\r\n\r\n{}"),
            new Bytes(414, "GET /" + "x".repeat(20_000) + " HTTP/1.1\r\n\r\n"),
            new Bytes(431, GET + "X-Large: " + "x".repeat(40_000) + "\r\n\r\n"),
            new Bytes(431, GET + "X-Many: xxxxxxxxxxxxxxxx\r\n".repeat(2_000) + "\r\n"),
            new Bytes(404, "OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"),
            new Bytes(404, "GET http://example.com/nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"),
            new Bytes(404, "BREW /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"));

    /** After these the client closes its side; a connection cut without an answer will do. */
    static final List<String> ENDING_EARLY = List.of(
            "",
            "GET /heal",
            GET,
            LINE + "Content-Length: 50\r\n\r\n{}",
            LINE + "Transfer-Encoding: chunked\r\n\r\n32\r\n{}",
            LINE + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n");

    static final List<String> HEADERS = List.of(
            "X-Workspace-ID: nonsense",
            "X-Workspace-ID: \u00ff\u00fe",
            "X-Workspace-ID: " + "x".repeat(5_000),
            "X-Workspace-ID: system:me",
            "X-Timeout: 1e400",
            "X-Timeout: -99999999999999999999",
            "X-Request-Id: a\tb",
            "Accept: \u00ff;q=x",
            "Content-Type: nonsense; charset=nowhere",
            "Content-Encoding: gzip",
            "Authorization: Basic \u00ff",
            "Authorization: Bearer \u00ff\u00fe",
            "Authorization: Bearer " + "x".repeat(10_000),
            "Cookie: \u0001=\"",
            "X-Forwarded-For: \u00ff, ,",
            "X-Forwarded-Proto: javascript",
            "X-Molecule-Edge: guess",
            "Expect: nonsense",
            "If-None-Match: \"",
            "Range: bytes=9-1",
            "Last-Event-ID: nonsense",
            "Sec-WebSocket-Key: short",
            "Upgrade: nonsense");

    private Malformed() {}
}
