package ai.molecule.provisioner.lifecycle;

import ai.molecule.common.http.JsonBody;
import ai.molecule.provisioner.templates.AgentConfigs;
import org.jspecify.annotations.Nullable;

/**
 * What a restart is asked to do besides (registry contract, 5.7 and 11.3).
 *
 * @param template its files go over the agent's configs
 * @param applyTemplate the same with the template that is named like the workspace, or its runtime's default
 * @param rebuildConfig the same with the one of its organisation
 * @param reset the agent's sessions are forgotten
 */
record RestartWish(@Nullable String template, boolean applyTemplate, boolean rebuildConfig, boolean reset) {

    /** Fails with INVALID for members of another type. */
    static RestartWish of(JsonBody body, boolean resetInQuery) {
        String template = body.text("template");
        return new RestartWish(
                template == null || template.isBlank() ? null : template,
                body.flag("apply_template", false),
                body.flag("rebuild_config", false),
                body.flag("reset", false) || resetInQuery);
    }

    boolean asksForTemplate() {
        return template != null || applyTemplate || rebuildConfig;
    }

    AgentConfigs.Wish ofTemplates() {
        return new AgentConfigs.Wish(template, applyTemplate, rebuildConfig);
    }
}
