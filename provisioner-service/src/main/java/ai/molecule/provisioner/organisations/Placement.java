package ai.molecule.provisioner.organisations;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where workspaces stand on the canvas: a root where the file says, those below one in a grid of two columns inside it, each as
 * large as what is below it. The numbers are the canvas's own (registry contract, 7.6).
 */
final class Placement {

    /** Absolute coordinates. */
    record Point(double x, double y) {}

    private record Size(double width, double height) {}

    private static final Size LEAF = new Size(240, 130);
    private static final double GUTTER = 14;
    private static final double HEADER = 130;
    private static final double SIDE = 16;
    private static final int COLUMNS = 2;

    private Placement() {}

    /** One point per child, in their order. */
    static List<Point> ofChildren(OrgWorkspace parent, Point at) {
        var sizes = parent.children().stream().map(Placement::sizeOf).toList();
        double width = columnWidth(sizes);
        var heights = rowHeights(sizes);
        List<Point> points = new ArrayList<>();
        double y = at.y() + HEADER;
        for (int i = 0; i < sizes.size(); i++) {
            int column = i % COLUMNS;
            points.add(new Point(at.x() + SIDE + column * (width + GUTTER), y));
            if (column == COLUMNS - 1) {
                y += heights.get(i / COLUMNS) + GUTTER;
            }
        }
        return points;
    }

    private static Size sizeOf(OrgWorkspace workspace) {
        if (workspace.children().isEmpty()) {
            return LEAF;
        }
        var sizes = workspace.children().stream().map(Placement::sizeOf).toList();
        int columns = Math.min(COLUMNS, sizes.size());
        var heights = rowHeights(sizes);
        double height = heights.stream().mapToDouble(row -> row).sum() + GUTTER * (heights.size() - 1);
        return new Size(2 * SIDE + columns * columnWidth(sizes) + GUTTER * (columns - 1), HEADER + height + SIDE);
    }

    private static double columnWidth(List<Size> sizes) {
        return sizes.stream().mapToDouble(Size::width).max().orElse(0);
    }

    private static List<Double> rowHeights(List<Size> sizes) {
        return IntStream.range(0, (sizes.size() + COLUMNS - 1) / COLUMNS)
                .mapToObj(row -> sizes.subList(row * COLUMNS, Math.min(sizes.size(), (row + 1) * COLUMNS)).stream()
                        .mapToDouble(Size::height)
                        .max()
                        .orElse(0))
                .toList();
    }
}
