package ai.molecule.system.faults;

import java.io.IOException;

/** An agent outside the platform, which fetches its messages. */
record Agent(String id, String token) {

    /** Invited and registered. */
    static Agent join(Client client, String name) throws IOException {
        return join(client, name, "null");
    }

    /** @param parent the parent's id as JSON */
    private static Agent join(Client client, String name, String parent) throws IOException {
        var invited = client.post(
                "/workspaces", "{\"name\":\"%s\",\"external\":true,\"parent_id\":%s}".formatted(name, parent));
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

    Agent hire(Client client, String name) throws IOException {
        return join(client, name, "\"" + id + "\"");
    }

    /** Says something to another as this agent. */
    Client.Answer tell(Client client, Agent other, String text) throws IOException {
        var message =
                "{\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"parts\":[{\"kind\":\"text\","
                        + "\"text\":\"" + text + "\"}]}}}";
        return client.send(
                "POST",
                "/workspaces/" + other.id + "/a2a",
                message,
                "Authorization",
                "Bearer " + token,
                "X-Workspace-ID",
                id);
    }

    Client.Answer heartbeat(Client client) throws IOException {
        return client.post("/registry/heartbeat", "{\"workspace_id\":\"%s\"}".formatted(id), token);
    }
}
