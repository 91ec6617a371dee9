package ai.molecule.common.bus.provisioner;

import ai.molecule.common.bus.Contract;
import org.jspecify.annotations.Nullable;

/**
 * Which runtime and model a template asks for. Called by the registry when a workspace is created from a template and its caller
 * named not both. Fails with INVALID {@code invalid template} for a name that leads out of the templates. Reads only.
 */
public record TemplateRuntime(String template) {

    public static final Contract<TemplateRuntime, Answer> CONTRACT =
            Contract.reading("provisioner.template-runtime", TemplateRuntime.class, Answer.class);

    /** Null where the template says nothing, or is not there. */
    public record Answer(@Nullable String runtime, @Nullable String model) {}
}
