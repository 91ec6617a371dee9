package ai.molecule.proxy.a2a;

import ai.molecule.common.tracing.RpcFact;
import ai.molecule.common.tracing.Tracing;
import ai.molecule.proxy.a2a.admission.A2aRequest;
import ai.molecule.proxy.bridge.A2aOperations;
import ai.molecule.proxy.json.JsonScanner;
import ai.molecule.proxy.json.Shape;
import ai.molecule.proxy.json.Span;
import ai.molecule.proxy.passports.PassportBook;
import ai.molecule.proxy.protocol.Protocol;
import org.jspecify.annotations.Nullable;

/** What the span of a request says of the A2A in it (docs/wire/traces.md). */
final class A2aSpan {

    private static final Shape REQUEST = Shape.of(
            "method",
            "params.id",
            "params.taskId",
            "params.message.taskId",
            "params.message.messageId",
            "params.message.contextId");

    private A2aSpan() {}

    static void tell(Tracing.Span span, A2aRequest call) {
        byte[] body = call.body();
        if (!JsonScanner.startsAsObject(body)) {
            return;
        }
        JsonScanner.scan(body, REQUEST).ifPresent(found -> {
            String method = text(found.at(0), body);
            A2aOperations.nameOf(method).ifPresent(operation -> {
                span.says(RpcFact.A2A_METHOD, operation);
                Protocol.of(call.passedOn().get(Protocol.VERSION_HEADER), method)
                        .ifPresent(spoken -> span.says(RpcFact.A2A_VERSION, spoken.version()));
                boolean aboutReceiver = operation.contains("PushNotification");
                span.says(RpcFact.A2A_TASK, aboutReceiver ? "" : text(found.at(1), body));
                span.says(RpcFact.A2A_TASK, text(found.at(2), body));
                span.says(RpcFact.A2A_TASK, text(found.at(3), body));
                span.says(RpcFact.A2A_MESSAGE, text(found.at(4), body));
                span.says(RpcFact.CONVERSATION, text(found.at(5), body));
            });
        });
    }

    /** Which passport a workspace showed with it, to be told when that was believed. A person's is not looked at. */
    static void under(Tracing.Span span, A2aRequest call) {
        String caller = call.caller();
        var behalf = caller == null || caller.isBlank() || caller.equalsIgnoreCase(call.target())
                ? null
                : PassportBook.behalf(call.passedOn());
        if (behalf != null) {
            span.says(RpcFact.PASSPORT, behalf.passportId().toString());
        }
    }

    private static String text(@Nullable Span span, byte[] body) {
        return span == null || !span.startsWith(body, '"') ? "" : span.stringIn(body);
    }
}
