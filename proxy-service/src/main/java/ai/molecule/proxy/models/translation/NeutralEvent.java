package ai.molecule.proxy.models.translation;

/**
 * A piece of an answer that streams. In this order: {@link Begin}, then pieces of text and calls of tools, each call whole before the
 * next thing begins, then {@link End}.
 */
sealed interface NeutralEvent {

    record Begin(String id, String model) implements NeutralEvent {}

    record TextPiece(String text) implements NeutralEvent {}

    record CallBegin(String id, String name) implements NeutralEvent {}

    /** Of the call that began last. */
    record ArgumentsPiece(String json) implements NeutralEvent {}

    record End(NeutralAnswer.Stop stop) implements NeutralEvent {}
}
