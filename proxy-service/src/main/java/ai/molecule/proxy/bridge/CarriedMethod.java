package ai.molecule.proxy.bridge;

import ai.molecule.proxy.protocol.Protocol;
import java.util.Arrays;
import java.util.Optional;

/** What both versions can ask of an agent, each by its own name. */
enum CarriedMethod {
    SEND("message/send", "SendMessage"),
    STREAM("message/stream", "SendStreamingMessage"),
    OLDER_STREAM("message/sendSubscribe", "SendStreamingMessage"),
    GET("tasks/get", "GetTask"),
    CANCEL("tasks/cancel", "CancelTask"),
    FOLLOW("tasks/resubscribe", "SubscribeToTask"),
    /** Of agents that know their messages; an extension, called the same in both. */
    BY_MESSAGE("molecule/tasks/byMessage", "molecule/tasks/byMessage");

    private final String in03;
    private final String in10;

    CarriedMethod(String in03, String in10) {
        this.in03 = in03;
        this.in10 = in10;
    }

    static Optional<CarriedMethod> of(String name, Protocol spoken) {
        return Arrays.stream(values())
                .filter(method -> method.in(spoken).equals(name))
                .findFirst();
    }

    String in(Protocol spoken) {
        return spoken == Protocol.V1_0 ? in10 : in03;
    }

    boolean streams() {
        return this == STREAM || this == OLDER_STREAM || this == FOLLOW;
    }

    /** Whether it begins or goes on with a task by words. */
    boolean sends() {
        return this == SEND || this == STREAM || this == OLDER_STREAM;
    }
}
