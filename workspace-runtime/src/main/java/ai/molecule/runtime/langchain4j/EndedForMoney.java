package ai.molecule.runtime.langchain4j;

import dev.langchain4j.http.client.SuccessfulHttpResponse;
import dev.langchain4j.http.client.sse.ServerSentEvent;
import dev.langchain4j.http.client.sse.ServerSentEventContext;
import dev.langchain4j.http.client.sse.ServerSentEventListener;
import java.time.Instant;

/**
 * Hears the platform's door end a stream for want of money: the answer had begun well, so it cannot be a 402 any more and is an event,
 * {@code {"error":{…,"code":"budget_exceeded"}}}. To the listener it is the 402.
 */
record EndedForMoney(ServerSentEventListener listener) implements ServerSentEventListener {

    private static final int PAYMENT_REQUIRED = 402;

    @Override
    public void onOpen(SuccessfulHttpResponse response) {
        listener.onOpen(response);
    }

    @Override
    public void onEvent(ServerSentEvent event, ServerSentEventContext context) {
        if (isTold(event)) {
            listener.onError(EndpointRefusal.of(PAYMENT_REQUIRED, "budget_exceeded", "", Instant.EPOCH));
        } else {
            listener.onEvent(event, context);
        }
    }

    @Override
    public void onEvent(ServerSentEvent event) {
        if (isTold(event)) {
            listener.onError(EndpointRefusal.of(PAYMENT_REQUIRED, "budget_exceeded", "", Instant.EPOCH));
        } else {
            listener.onEvent(event);
        }
    }

    @Override
    public void onError(Throwable failure) {
        listener.onError(failure);
    }

    @Override
    public void onClose() {
        listener.onClose();
    }

    /** What a model says stands deeper, and escaped. */
    private static boolean isTold(ServerSentEvent event) {
        String data = event.data();
        return data != null && data.startsWith("{\"error\":{") && data.contains("\"code\":\"budget_exceeded\"");
    }
}
