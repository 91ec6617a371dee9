package ai.molecule.sdk;

/**
 * How {@link PushDelivery} listens.
 *
 * <pre>{@code
 * PushOptions.onPort(8000).onHost("0.0.0.0").withMaxConcurrent(4)
 * }</pre>
 *
 * @param host the address listened on; {@code 127.0.0.1} unless said otherwise. Without {@link #withTokenRequired} nobody has to prove who he
 *     is to be heard, and an address that others reach belongs behind a firewall or a proxy
 * @param port 0: any free one
 * @param maxConcurrent messages handled at the same time, 1 to 64; whoever comes when that many are is told so (503), which
 *     makes the platform queue his message
 * @param tokenRequired whether only those are heard for whom the platform signed that they may call this agent; it signs so for itself too
 */
public record PushOptions(String host, int port, int maxConcurrent, boolean tokenRequired) {

    static final int CONCURRENT_MAX = 64;

    private static final int PORT_MAX = 65_535;

    /** @throws IllegalArgumentException when a number is out of its range */
    public PushOptions {
        if (port < 0 || port > PORT_MAX) {
            throw new IllegalArgumentException("port must lie between 0 and 65535: " + port);
        }
        if (maxConcurrent < 1 || maxConcurrent > CONCURRENT_MAX) {
            throw new IllegalArgumentException("messages at the same time must lie between 1 and 64: " + maxConcurrent);
        }
    }

    /** On loopback, 16 messages at the same time. */
    public static PushOptions onPort(int port) {
        return new PushOptions("127.0.0.1", port, 16, false);
    }

    public PushOptions onHost(String address) {
        return new PushOptions(address, port, maxConcurrent, tokenRequired);
    }

    public PushOptions withMaxConcurrent(int messages) {
        return new PushOptions(host, port, messages, tokenRequired);
    }

    public PushOptions withTokenRequired() {
        return new PushOptions(host, port, maxConcurrent, true);
    }
}
