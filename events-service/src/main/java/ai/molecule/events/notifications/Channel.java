package ai.molecule.events.notifications;

import java.util.Optional;
import java.util.stream.Stream;

/** By which way a target is told. */
enum Channel {
    /** A POST of JSON with a signature. */
    WEBHOOK("webhook"),
    /** An incoming webhook of Slack, whose URL is a secret. */
    SLACK("slack"),
    /** A topic of ntfy, or of a server that speaks as it does. */
    NTFY("ntfy"),
    EMAIL("email"),
    /** A linked person at the bot: made by linking, see {@code chats/}. */
    TELEGRAM("telegram");

    private final String wire;

    Channel(String wire) {
        this.wire = wire;
    }

    static Optional<Channel> find(String wire) {
        return Stream.of(values()).filter(channel -> channel.wire.equals(wire)).findFirst();
    }

    String wire() {
        return wire;
    }
}
