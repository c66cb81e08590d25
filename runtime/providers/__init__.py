"""Language models behind one streaming interface; each SDK is imported when first used."""
