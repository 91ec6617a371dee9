package ai.molecule.proxy.models;

import java.time.Duration;

/**
 * Time, size and number at the model door.
 *
 * @param requestMaxBytes of a request; answered 413 beyond
 * @param requestsMaxBytes of all requests that have not been sent to their providers yet; answered 503 beyond
 * @param eventMaxBytes of one event of a stream, which is then cut
 * @param callsMax at one time, whoever makes them; answered 429 beyond
 * @param workspaceCallsMax at one time, of one workspace; answered 429 beyond
 * @param connect how long a connection may take
 * @param firstByte how long a provider may take until its answer begins
 * @param idle how long an answer that has begun may be silent
 * @param call how long a call may take in all
 * @param connectTries connections that are tried; nothing has left before one stands
 * @param unwell failures in a row after which a provider is left alone
 * @param pause how long it is left alone before one call tries it again
 * @param slice tokens of output that are reserved at a time
 * @param unstreamedOutput tokens of output reserved for an answer that comes whole and has no limit of its own
 * @param thinkingOutput the same for a stream whose model may think unseen
 * @param tries how often one call is sent to one provider
 * @param patience how long a call may wait for a place at a provider, and how long in all between its tries
 * @param resend a connection that ends so soon after a call was sent, without an answer, had been given up before: the call is sent again
 * @param waitingMax calls that wait for a place at one provider; answered 429 beyond
 * @param workspaceRequestsMaxBytes of all requests of one workspace that have not been sent yet; answered 429 beyond
 */
public record ModelLimits(
        int requestMaxBytes,
        long requestsMaxBytes,
        int eventMaxBytes,
        int callsMax,
        int workspaceCallsMax,
        Duration connect,
        Duration firstByte,
        Duration idle,
        Duration call,
        int connectTries,
        int unwell,
        Duration pause,
        int slice,
        int unstreamedOutput,
        int thinkingOutput,
        int tries,
        Duration patience,
        Duration resend,
        int waitingMax,
        long workspaceRequestsMaxBytes) {

    private static final long REQUESTS_MIN_BYTES = 32L << 20;
    private static final int REQUESTS_PART_OF_HEAP = 8;

    public static final ModelLimits DEFAULT = new ModelLimits(
            16 << 20,
            Math.max(REQUESTS_MIN_BYTES, Runtime.getRuntime().maxMemory() / REQUESTS_PART_OF_HEAP),
            10 << 20,
            2_000,
            64,
            Duration.ofSeconds(5),
            Duration.ofMinutes(10),
            Duration.ofMinutes(5),
            Duration.ofMinutes(30),
            2,
            5,
            Duration.ofSeconds(10),
            1_024,
            8_192,
            32_768,
            3,
            Duration.ofSeconds(20),
            Duration.ofSeconds(2),
            512,
            Math.max(REQUESTS_MIN_BYTES, Runtime.getRuntime().maxMemory() / REQUESTS_PART_OF_HEAP) / 2);

    public ModelLimits withTimes(Duration longestFirstByte, Duration longestIdle) {
        return new ModelLimits(
                requestMaxBytes,
                requestsMaxBytes,
                eventMaxBytes,
                callsMax,
                workspaceCallsMax,
                connect,
                longestFirstByte,
                longestIdle,
                call,
                connectTries,
                unwell,
                pause,
                slice,
                unstreamedOutput,
                thinkingOutput,
                tries,
                patience,
                resend,
                waitingMax,
                workspaceRequestsMaxBytes);
    }

    public ModelLimits withNumbers(int calls, int callsOfWorkspace) {
        return new ModelLimits(
                requestMaxBytes,
                requestsMaxBytes,
                eventMaxBytes,
                calls,
                callsOfWorkspace,
                connect,
                firstByte,
                idle,
                call,
                connectTries,
                unwell,
                pause,
                slice,
                unstreamedOutput,
                thinkingOutput,
                tries,
                patience,
                resend,
                waitingMax,
                workspaceRequestsMaxBytes);
    }

    public ModelLimits withWaiting(Duration longest, int most) {
        return new ModelLimits(
                requestMaxBytes,
                requestsMaxBytes,
                eventMaxBytes,
                callsMax,
                workspaceCallsMax,
                connect,
                firstByte,
                idle,
                call,
                connectTries,
                unwell,
                pause,
                slice,
                unstreamedOutput,
                thinkingOutput,
                tries,
                longest,
                resend,
                most,
                workspaceRequestsMaxBytes);
    }
}
