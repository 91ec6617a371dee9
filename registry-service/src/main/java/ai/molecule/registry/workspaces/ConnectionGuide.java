package ai.molecule.registry.workspaces;

import ai.molecule.common.json.Json;
import ai.molecule.registry.workspaces.WorkspaceService.Created;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * What somebody needs to connect an agent of their own: endpoints, the token, and two snippets to paste.
 *
 * @param platformUrl the public address of the platform, without a slash at its end
 */
record ConnectionGuide(String platformUrl) {

    private static final String CURL = """
            curl -X POST %s/registry/register \\
              -H 'Content-Type: application/json' \\
              -H 'Authorization: Bearer %s' \\
              -d '{"id":"%s","url":"https://your-agent.example.com","agent_card":{"name":"%s"}}'
            """;

    private static final String PYTHON = """
            import time

            import requests

            PLATFORM = "%s"
            WORKSPACE_ID = "%s"
            HEADERS = {"Authorization": "Bearer %s"}

            requests.post(
                f"{PLATFORM}/registry/register",
                headers=HEADERS,
                json={"id": WORKSPACE_ID, "url": "remote://no-inbound", "agent_card": {"name": "my-agent"}},
            ).raise_for_status()

            while True:
                requests.post(
                    f"{PLATFORM}/registry/heartbeat",
                    headers=HEADERS,
                    json={"workspace_id": WORKSPACE_ID},
                ).raise_for_status()
                time.sleep(30)
            """;

    static ConnectionGuide of(@Nullable String configured, String asTyped) {
        String url = configured == null ? asTyped : configured;
        return new ConnectionGuide(url.endsWith("/") ? url.substring(0, url.length() - 1) : url);
    }

    ObjectNode toJson(Created created) {
        String id = created.workspace().id().toString();
        String token = created.token() == null ? "" : created.token();
        String name =
                created.workspace().name().replace("\\", "").replace("\"", "").replace("'", "");
        return Json.object()
                .put("workspace_id", id)
                .put("platform_url", platformUrl)
                .put("auth_token", token)
                .put("registry_endpoint", platformUrl + "/registry/register")
                .put("heartbeat_endpoint", platformUrl + "/registry/heartbeat")
                .put("curl_register_template", CURL.formatted(platformUrl, token, id, name))
                .put("python_snippet", PYTHON.formatted(platformUrl, id, token));
    }
}
