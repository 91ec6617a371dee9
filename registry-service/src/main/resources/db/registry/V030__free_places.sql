-- A root that nobody placed goes to the right of everything: found without reading every place.
CREATE INDEX canvas_layouts_by_x ON canvas_layouts (x);
