package ai.molecule.system.faults;

import java.io.IOException;

/** An agent outside the platform, which fetches its messages. */
record Agent(String id, String token) {

    /** Invited and registered. */
    static Agent join(Client client, String name) throws IOException {
        var invited = client.post("/workspaces", "{\"name\":\"%s\",\"external\":true}".formatted(name));
        var agent = new Agent(
                invited.json().get("id").asText(),
                invited.json().at("/connection/auth_token").asText());
        var home = "{\"id\":\"%s\",\"url\":\"remote://no-inbound\",\"agent_card\":{\"name\":\"%s\"}}"
                .formatted(agent.id, name);
        var registered = client.post("/registry/register", home, agent.token);
        if (!registered.good()) {
            throw new AssertionError(registered);
        }
        return agent;
    }

    Client.Answer heartbeat(Client client) throws IOException {
        return client.post("/registry/heartbeat", "{\"workspace_id\":\"%s\"}".formatted(id), token);
    }
}
