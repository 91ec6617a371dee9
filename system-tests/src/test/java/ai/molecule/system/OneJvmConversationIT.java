package ai.molecule.system;

import org.junit.jupiter.api.Tag;

/** The whole platform in the launcher's own JVM. */
@Tag("full")
class OneJvmConversationIT extends ConversationContract {

    @Override
    String[] options() {
        return new String[] {"--no-demo"};
    }
}
