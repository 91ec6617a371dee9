package ai.molecule.runtime.mcp;

import ai.molecule.runtime.tools.Toolbox;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The tools over MCP's stdio transport, a message a line. Requests are answered one after the other, in their order. A line that is
 * no JSON object, a notification and an answer get nothing.
 */
public final class McpServer {

    private static final Logger LOGGER = System.getLogger(McpServer.class.getName());
    /** Whatever version a client asks for, as clients of the platform are used to. */
    private static final List<String> VERSIONS = List.of("2024-11-05");

    private static final ObjectMapper JSON = new ObjectMapper();

    private final McpMethods methods;
    private final LineReader in;
    private final OutputStream out;

    /** @param out gets nothing but the protocol */
    public McpServer(Toolbox toolbox, InputStream in, OutputStream out) {
        this.methods = new McpMethods(toolbox, VERSIONS);
        this.in = new LineReader(in);
        this.out = out;
    }

    /** Serves until the input ends. */
    public void run() throws IOException, InterruptedException {
        Optional<String> line = in.next();
        while (line.isPresent()) {
            Optional<ObjectNode> answer = methods.answerTo(read(line.get()));
            if (answer.isPresent()) {
                out.write((answer.get() + "\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
            line = in.next();
        }
    }

    private static JsonNode read(String line) {
        try {
            return JSON.readTree(line);
        } catch (JsonProcessingException e) {
            LOGGER.log(Level.WARNING, "a line that is no JSON is ignored");
            return JSON.missingNode();
        }
    }
}
