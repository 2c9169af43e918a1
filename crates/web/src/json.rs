//! JSON bodies.

use std::fmt;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor,
};

use crate::ApiError;

/// Parses JSON. The error text gives the position and names no Rust types. Objects must be objects: an array in place
/// of an object is a 400, at every depth. Unknown keys are ignored; a repeated key is a 400.
pub fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    T::deserialize(Strict(&mut json))
        .and_then(|value| json.end().map(|()| value))
        .map_err(|error| ApiError::bad_request(format!("invalid JSON: {error}")))
}

/// Deserializes like the wrapped value, except that a struct can be read only from an object.
///
/// Derived structs also accept an array with their fields by position, and serde has no option to turn that off. So
/// this type wraps every step of deserialization: the deserializer requests a map instead of a struct, and visitors,
/// seeds and accesses wrap the values inside them. Untagged and flattened types, and enums with content, are read from
/// a buffer inside serde, where the wrapping does not apply; bodies have no structs there.
struct Strict<T>(T);

/// A visitor for a struct that is described as an object in error texts.
struct Object<V>(V);

macro_rules! deserialize_as_wrapped {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($($argument,)* Strict(visitor))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Object(visitor))
    }

    deserialize_as_wrapped! {
        deserialize_any()
        deserialize_bool()
        deserialize_i8()
        deserialize_i16()
        deserialize_i32()
        deserialize_i64()
        deserialize_u8()
        deserialize_u16()
        deserialize_u32()
        deserialize_u64()
        deserialize_f32()
        deserialize_f64()
        deserialize_char()
        deserialize_str()
        deserialize_string()
        deserialize_bytes()
        deserialize_byte_buf()
        deserialize_option()
        deserialize_unit()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_seq()
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_map()
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
        deserialize_identifier()
        deserialize_ignored_any()
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Object<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Strict(map))
    }
}

macro_rules! visit_as_wrapped {
    ($($method:ident($type:ty))*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.0.$method(value)
        }
    )*};
}

/// The kinds of value that JSON has. The default implementations of the other methods call these.
impl<'de, V: Visitor<'de>> Visitor<'de> for Strict<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    visit_as_wrapped! {
        visit_bool(bool)
        visit_i64(i64)
        visit_u64(u64)
        visit_f64(f64)
        visit_str(&str)
        visit_borrowed_str(&'de str)
        visit_string(String)
        visit_bytes(&[u8])
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inside: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Strict(inside))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inside: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(Strict(inside))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Strict(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Strict(map))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<V::Value, A::Error> {
        self.0.visit_enum(data)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Strict<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inside: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Strict(inside))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, A::Error> {
        self.0.next_element_seed(Strict(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Strict<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.0.next_value_seed(Strict(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::Value;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Outer {
        text: Option<String>,
        inner: Option<Inner>,
        #[serde(default)]
        list: Vec<Inner>,
        #[serde(default)]
        by_name: BTreeMap<String, Inner>,
        wrapped: Option<Wrapped>,
        anything: Option<Value>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        number: i32,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Wrapped(Inner);

    fn parse(json: &str) -> Result<Outer, String> {
        parse_json(json.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn objects_are_read_as_ever() {
        let json = r#"{"text":"a\n\u00e4","inner":{"number":-1},"list":[{"number":1},{"number":2,"more":[1]}],
            "by_name":{"x":{"number":3}},"wrapped":{"number":4},"anything":[[{"a":[1.5,null]}]],"unknown":[[]]}"#;
        assert_eq!(parse(json).unwrap(), serde_json::from_str(json).unwrap());
        assert_eq!(parse("{}").unwrap(), serde_json::from_str("{}").unwrap());
        let absent = r#"{"text":null,"inner":null,"wrapped":null,"anything":null}"#;
        assert_eq!(parse(absent).unwrap(), parse("{}").unwrap());
    }

    #[test]
    fn an_array_is_no_object_at_any_depth() {
        for json in [
            "[]",
            r#"["text"]"#,
            r#"["text",null,[],{},null,null]"#,
            r#"{"inner":[1]}"#,
            r#"{"inner":[]}"#,
            r#"{"list":[[1]]}"#,
            r#"{"list":[{"number":1},[2]]}"#,
            r#"{"by_name":{"x":[3]}}"#,
            r#"{"wrapped":[4]}"#,
        ] {
            let error = parse(json).unwrap_err();
            assert!(
                error.starts_with("invalid JSON: invalid type: sequence, expected an object at line 1"),
                "{error}"
            );
        }
    }

    #[test]
    fn errors_name_no_type_of_ours() {
        for (json, error) in [
            ("1", "invalid type: integer `1`, expected an object at line 1 column 1"),
            ("", "EOF while parsing a value at line 1 column 0"),
            ("{} x", "trailing characters at line 1 column 4"),
            (r#"{"text":"a","text":"b"}"#, "duplicate field `text` at line 1 column 18"),
            (r#"{"inner":{}}"#, "missing field `number` at line 1 column 11"),
            (r#"{"text":{}}"#, "invalid type: map, expected a string at line 1 column 8"),
        ] {
            assert_eq!(parse(json).unwrap_err(), format!("invalid JSON: {error}"), "{json}");
        }
    }
}
