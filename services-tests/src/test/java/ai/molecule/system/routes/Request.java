package ai.molecule.system.routes;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A request to the byte, because a proper client would refuse to send half of what is tried here.
 *
 * @param target path and query as they stand in the request line
 * @param headers whole lines, {@code Name: value}
 */
record Request(String method, String target, List<String> headers, byte[] body) {

    static Request of(String method, String target) {
        return new Request(method, target, List.of(), new byte[0]);
    }

    Request with(String... more) {
        return with(List.of(more));
    }

    Request with(List<String> more) {
        var all = new ArrayList<>(headers);
        all.addAll(more);
        return new Request(method, target, List.copyOf(all), body);
    }

    Request body(byte[] bytes) {
        return new Request(method, target, headers, bytes);
    }

    Request body(String text) {
        return body(text.getBytes(StandardCharsets.UTF_8));
    }

    Request target(String other) {
        return new Request(method, other, headers, body);
    }

    Request withoutQuery() {
        return target(target.split("\\?", 2)[0]);
    }

    String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    byte[] bytes() {
        var head = new StringBuilder("%s %s HTTP/1.1\r\n".formatted(method, target));
        if (headers.stream().noneMatch(line -> line.startsWith("Host:"))) {
            head.append("Host: 127.0.0.1\r\n");
        }
        if (headers.stream().noneMatch(line -> line.startsWith("Connection:"))) {
            head.append("Connection: close\r\n");
        }
        headers.forEach(line -> head.append(line).append("\r\n"));
        boolean framed = headers.stream()
                .anyMatch(line -> line.startsWith("Content-Length:") || line.startsWith("Transfer-Encoding:"));
        if (!framed && (body.length > 0 || !method.equals("GET"))) {
            head.append("Content-Length: %d\r\n".formatted(body.length));
        }
        var bytes = new ByteArrayOutputStream();
        bytes.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
        bytes.writeBytes(body);
        return bytes.toByteArray();
    }

    @Override
    public String toString() {
        var text = new String(body, StandardCharsets.UTF_8);
        return method + " " + target + " " + headers + " "
                + (text.length() > 300 ? text.substring(0, 300) + "…" : text);
    }
}
