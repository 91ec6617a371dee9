-- From where sign-ins and programs come: where there are too many, those go that are the most of one network.
ALTER TABLE sign_ins ADD COLUMN network text NOT NULL DEFAULT '';
ALTER TABLE devices ADD COLUMN network text NOT NULL DEFAULT '';
