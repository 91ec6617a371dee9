package ai.molecule.common.testing;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Records that differ in some components: limits as a test wants them. */
public final class Records {

    private Records() {}

    /** {@code record} with another value in one component. */
    public static <R extends Record> R with(R record, String component, Object value) {
        return with(record, Map.of(component, value));
    }

    /** {@code record} with other values in the components of those names. */
    public static <R extends Record> R with(R record, Map<String, Object> changes) {
        var components = record.getClass().getRecordComponents();
        var unknown = new HashMap<>(changes);
        Object[] values = new Object[components.length];
        try {
            for (int i = 0; i < components.length; i++) {
                var changed = unknown.remove(components[i].getName());
                values[i] = changed == null ? components[i].getAccessor().invoke(record) : changed;
            }
            if (!unknown.isEmpty()) {
                throw new IllegalArgumentException(record.getClass().getSimpleName() + " has no " + unknown.keySet());
            }
            @SuppressWarnings("unchecked") // the class of the record itself
            var type = (Class<R>) record.getClass();
            return type.getDeclaredConstructor(Arrays.stream(components)
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new))
                    .newInstance(values);
        } catch (ReflectiveOperationException refused) {
            throw new IllegalStateException(refused);
        }
    }
}
