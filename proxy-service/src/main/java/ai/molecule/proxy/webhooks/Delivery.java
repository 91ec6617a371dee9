package ai.molecule.proxy.webhooks;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Something that was sent, as its signature covers it.
 *
 * @param id by which the sender knows it; the same when it sends it again
 * @param event what it tells of
 * @param text the body as it came
 */
record Delivery(String id, String event, String text, JsonNode body) {}
