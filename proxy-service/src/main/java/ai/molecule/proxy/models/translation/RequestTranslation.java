package ai.molecule.proxy.models.translation;

import ai.molecule.common.json.Json;

/**
 * A request in the words of another protocol.
 *
 * @param body of the other
 * @param tellsUsage whether who asked is to see the usage of a stream, which not every protocol tells unasked
 */
public record RequestTranslation(byte[] body, boolean tellsUsage) {

    /**
     * Throws INVALID with what is not translated, or is wrong.
     *
     * @param outputLimit what the provider calls the limit of a chat completion's output
     */
    public static RequestTranslation of(byte[] body, SpokenProtocol from, SpokenProtocol to, String outputLimit) {
        var tree = TreeReader.read(body)
                .orElseThrow(() -> NotTranslated.malformed(
                        "the request body must be one JSON object of at most %d parts to be translated for this model's provider"
                                .formatted(TreeReader.PARTS_MAX)));
        var request = from.readRequest(tree);
        return new RequestTranslation(Json.bytes(to.writeRequest(request, outputLimit)), request.tellsUsage());
    }
}
