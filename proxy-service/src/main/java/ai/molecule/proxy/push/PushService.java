package ai.molecule.proxy.push;

import ai.molecule.common.json.Json;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.proxy.protocol.Protocol;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Who wants to be told of which task, in the words of both versions. Every operation fails with {@link WrongPushParameter} for what is wrong
 * in its parameters. Whether the caller may know of the task is for whoever calls these to ask.
 */
public final class PushService {

    private final PgPushConfigs store;
    private final PgPushSecrets secrets;
    private final SafeDialer dialer;
    private final PushLimits limits;
    private final Runnable added;

    /** @param added poked when there is a task to look at */
    PushService(PgPushConfigs store, PgPushSecrets secrets, SafeDialer dialer, PushLimits limits, Runnable added) {
        this.store = store;
        this.secrets = secrets;
        this.dialer = dialer;
        this.limits = limits;
        this.added = added;
    }

    /** An operation of a caller, as far as it was read: which task it is about, and what to do once that is known to be one of its. */
    public record Asked(String taskId, What what, JsonNode params) {}

    /**
     * Who wants to be told.
     *
     * @param workspaceId null for a person
     * @param endsWith the hash of the session or token of a person, or token of the organization, that asks: it is told nothing any more once that
     *     may not look at the agent; null where it goes on until the task is over
     */
    public record Asker(
            @Nullable UUID workspaceId, @Nullable String endsWith) {}

    /** Both versions have these, by their own names. */
    public enum What {
        SET("tasks/pushNotificationConfig/set", "CreateTaskPushNotificationConfig"),
        GET("tasks/pushNotificationConfig/get", "GetTaskPushNotificationConfig"),
        LIST("tasks/pushNotificationConfig/list", "ListTaskPushNotificationConfigs"),
        DELETE("tasks/pushNotificationConfig/delete", "DeleteTaskPushNotificationConfig");

        private final String in03;
        private final String in10;

        What(String in03, String in10) {
            this.in03 = in03;
            this.in10 = in10;
        }

        /** Empty for a method that is none of these. */
        public static Optional<What> of(String method, Protocol spoken) {
            for (What what : values()) {
                if ((spoken == Protocol.V1_0 ? what.in10 : what.in03).equals(method)) {
                    return Optional.of(what);
                }
            }
            return Optional.empty();
        }
    }

    /** Fails with {@link WrongPushParameter} where it names no task, or is for another tenant than {@code target}. */
    public static Asked read(What what, JsonNode params, Protocol spoken, UUID target) {
        boolean namesTask = spoken == Protocol.V1_0 || what == What.SET;
        if (spoken == Protocol.V1_0) {
            String tenant = params.path("tenant").asText("");
            if (!tenant.isEmpty() && !tenant.equals(target.toString())) {
                throw new WrongPushParameter("tenant", "is not this agent's");
            }
        }
        return new Asked(required(params, namesTask ? "taskId" : "id"), what, params);
    }

    /** The {@code result}, in the caller's version; null where there is nothing of that kind. */
    public Future<@Nullable JsonNode> answer(Asked asked, Protocol spoken, UUID workspace, Asker asker) {
        UUID caller = asker.workspaceId;
        boolean is10 = spoken == Protocol.V1_0;
        String nameOfId = is10 ? "id" : "pushNotificationConfigId";
        return switch (asked.what) {
            case SET -> {
                var config = is10
                        ? PushConfig.of(asked.params, "", spoken)
                        : PushConfig.of(asked.params.path("pushNotificationConfig"), "pushNotificationConfig", spoken);
                yield permitted(config, is10 ? "url" : "pushNotificationConfig.url")
                        .compose(checked -> add(workspace, asker, asked.taskId, config, spoken))
                        .map(kept -> kept.shown(asked.taskId, spoken));
            }
            case GET -> {
                String id = is10
                        ? required(asked.params, "id")
                        : asked.params.path(nameOfId).asText("");
                yield store.list(workspace, asked.taskId, caller, id.isEmpty() ? null : id)
                        .map(found -> found.isEmpty() ? null : found.getFirst().shown(asked.taskId, spoken));
            }
            case LIST ->
                store.list(workspace, asked.taskId, caller, null).map(found -> listed(found, asked.taskId, is10));
            case DELETE ->
                store.delete(workspace, asked.taskId, caller, required(asked.params, nameOfId))
                        .map(gone -> is10 ? Json.object() : Json.object().nullNode());
        };
    }

    private static JsonNode listed(List<PushConfig> found, String taskId, boolean is10) {
        ArrayNode configs = Json.MAPPER.createArrayNode();
        found.forEach(config -> configs.add(config.shown(taskId, is10 ? Protocol.V1_0 : Protocol.V0_3)));
        if (!is10) {
            return configs;
        }
        ObjectNode page = Json.object();
        page.set("configs", configs);
        return page.put("nextPageToken", ""); // a task has no more than stand on a page
    }

    /** What a message brings along; to be added once its task has a name. Fails as {@link #answer}. */
    public Future<PushConfig> brought(JsonNode config, Protocol spoken) {
        String at = "configuration." + memberOf(spoken);
        var read = PushConfig.of(config, at, spoken);
        return permitted(read, at + ".url").map(read);
    }

    /** Where a message's {@code configuration} says who is to be told. */
    public static String memberOf(Protocol spoken) {
        return spoken == Protocol.V1_0 ? "taskPushNotificationConfig" : "pushNotificationConfig";
    }

    /** One without an id has that of its task, as with the public SDKs. */
    public Future<PushConfig> add(UUID workspace, Asker asker, String taskId, PushConfig config, Protocol spoken) {
        var named = config.id().isEmpty()
                ? new PushConfig(taskId, config.url(), config.token(), config.scheme(), config.credentials(), null)
                : config;
        var id = UUID.randomUUID();
        return secrets.seal(id, named)
                .compose(stored -> store.add(id, workspace, asker, taskId, named, stored, spoken, limits))
                .onSuccess(done -> added.run())
                .map(named);
    }

    private Future<Void> permitted(PushConfig config, String at) {
        return dialer.refuses(config.url()).map(refused -> {
            if (refused) {
                throw new WrongPushParameter(at, "must be an http or https URL that is publicly routable");
            }
            return null;
        });
    }

    private static String required(JsonNode params, String name) {
        JsonNode value = params.path(name);
        if (!value.isTextual() || value.textValue().isEmpty()) {
            throw new WrongPushParameter(name, "is required");
        }
        return value.textValue().replace('\0', '\ufffd');
    }
}
