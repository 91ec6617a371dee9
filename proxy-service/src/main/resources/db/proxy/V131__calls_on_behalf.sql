-- The passport that a call of a model was asked under, and on whose behalf; null where its agent showed none.
ALTER TABLE model_calls ADD COLUMN passport_id uuid, ADD COLUMN on_behalf_of text;
