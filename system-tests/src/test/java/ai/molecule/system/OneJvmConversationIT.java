package ai.molecule.system;

/** The whole platform in the launcher's own JVM. */
class OneJvmConversationIT extends ConversationContract {

    @Override
    String[] options() {
        return new String[] {"--no-demo"};
    }
}
