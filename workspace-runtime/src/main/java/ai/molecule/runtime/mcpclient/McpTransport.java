package ai.molecule.runtime.mcpclient;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;

/** A way to one MCP server: JSON-RPC requests go out, several at once, and their answers come back. */
interface McpTransport extends AutoCloseable {

    /** A larger message ends the connection. */
    int MESSAGE_MAX_BYTES = 2 * 1024 * 1024;

    /** So much that answers nothing, without an answer in between, does as well. */
    int UNASKED_MAX_BYTES = 4 * MESSAGE_MAX_BYTES;

    /**
     * The whole answer, with its {@code result} or {@code error}.
     *
     * @throws McpFailure SILENT when it does not come in time, BROKEN when it will never come
     */
    JsonNode ask(ObjectNode request, Duration timeout) throws InterruptedException;

    /** A message that gets no answer. What comes of it is not known. */
    void tell(ObjectNode message);

    /** The version that was agreed on; what is sent from now on may name it. */
    void speaks(String version);

    /** Whether an answer may still come. */
    boolean isOpen();

    /** Ends the server when it was started by this. Does not wait. */
    @Override
    void close();
}
