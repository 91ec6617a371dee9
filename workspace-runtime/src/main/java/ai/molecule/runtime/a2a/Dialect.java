package ai.molecule.runtime.a2a;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Who is asking, judged by how the request is written, because that decides what a blocking send answers.
 *
 * <p>A client of the published protocol marks its message with {@code kind}, sends a {@code configuration}, or names the
 * version it speaks; it gets the task. Clients of this platform from before do none of that and read
 * {@code result.parts[0].text}; they get a message.
 */
enum Dialect {
    PUBLISHED,
    PLATFORM;

    static Dialect of(JsonNode params, boolean versionNamed) {
        boolean published = versionNamed
                || params.path("configuration").isObject()
                || "message".equals(params.path("message").path("kind").textValue());
        return published ? PUBLISHED : PLATFORM;
    }
}
